import type { Names } from "./names.ts";

/** The contract of a resource with a name and a description, to be changed into what the module needs. */
export function contractOf({ one, many, words, snakeOne, snakeMany, folder }: Names): string {
  const method = (action: string, verb: string, rest: string) => `    option (service.options.method) = {
      cli: "${folder} ${verb}"
      governance: {
        resource: "${snakeOne}"
        action: "${action}"
      }
      actor: {
        kind: "${snakeOne}"
        constant: ""
      }
${rest}    };`;
  const id = `string ${snakeOne}_id = 1 [(buf.validate.field).string.ulid = true];`;
  const name = (field: string) => `${field} [(buf.validate.field).string = {
    min_len: 1
    max_len: 200
  }];`;
  const path = `/api/${folder}`;
  const body = (verb: string, at: string) => `    option (google.api.http) = {
      ${verb}: "${at}"
      body: "*"
    };`;
  const example = (text: string) => `      example: '${text}'\n`;
  const repeat = "      repeat: REPEAT_BY_KEY\n";
  return `syntax = "proto3";

package service.api;

import "buf/validate/validate.proto";
import "google/api/annotations.proto";
import "google/api/field_behavior.proto";
import "google/protobuf/field_mask.proto";
import "google/protobuf/timestamp.proto";
import "service/options/options.proto";

// TODO: what ${words} are.
service ${one}Service {
  option (service.options.service) = {
    environment: {from: FROM_RESOURCE}
    governance: {
      lifecycle: LIFECYCLE_SUPPORTED
      audience: AUDIENCE_TENANT
      authentication_required: true
      authorization_required: true
      internal_only: false
    }
  };

  // Creates one in the environment that X-Environment names.
  rpc Create${one}(Create${one}Request) returns (${one}) {
${body("post", path)}
${method("write", "create", `      environment: {from: FROM_NEW}\n${repeat}      creates: "${path}/{id}"\n${example('{"name": "first"}')}`)}
  }

  // Returns one.
  rpc Get${one}(Get${one}Request) returns (${one}) {
    option idempotency_level = NO_SIDE_EFFECTS;
    option (google.api.http) = {get: "${path}/{${snakeOne}_id}"};
${method("read", "get", "")}
  }

  // Lists them by id, oldest first.
  rpc List${many}(List${many}Request) returns (List${many}Response) {
    option idempotency_level = NO_SIDE_EFFECTS;
    option (google.api.http) = {get: "${path}"};
${method("read", "list", `      columns: "id name created_at"\n      named: {\n        by: "name"\n        ids: ["${snakeOne}_id"]\n      }\n      environment: {from: FROM_EACH}\n      pagination: {\n        convention: CONVENTION_CURSOR\n        items_field: "${snakeMany}"\n      }\n`)}
  }

  // Changes the named fields. REST takes a merge patch instead of update_mask.
  rpc Update${one}(Update${one}Request) returns (${one}) {
${body("patch", `${path}/{${snakeOne}_id}`)}
${method("write", "update", `${repeat}${example('{"description": "Second"}')}`)}
  }

  // Deletes one.
  rpc Delete${one}(Delete${one}Request) returns (Delete${one}Response) {
    option (google.api.http) = {delete: "${path}/{${snakeOne}_id}"};
${method("delete", "delete", repeat)}
  }
}

message ${one} {
  string id = 1 [(google.api.field_behavior) = OUTPUT_ONLY];
  string name = 2;
  string description = 3;
  string tenant_id = 4 [(google.api.field_behavior) = OUTPUT_ONLY];
  string environment = 5 [(google.api.field_behavior) = OUTPUT_ONLY];
  google.protobuf.Timestamp created_at = 6 [(google.api.field_behavior) = OUTPUT_ONLY];
  google.protobuf.Timestamp updated_at = 7 [(google.api.field_behavior) = OUTPUT_ONLY];
  // Grows with every change.
  int64 record_version = 8 [(google.api.field_behavior) = OUTPUT_ONLY];
}

message Create${one}Request {
  ${name("string name = 1")}
  optional string description = 2 [(buf.validate.field).string.max_len = 2000];
}

message Get${one}Request {
  ${id}
}

message List${many}Request {
  // Non-positive: 50; more than 1,000: 1,000.
  int32 page_size = 1;
  string page_token = 2;
  // Skips this many; not together with page_token.
  int32 offset = 3;
  optional string environment = 4 [(buf.validate.field).string.max_len = 63];
}

message List${many}Response {
  repeated ${one} ${snakeMany} = 1;
  // Empty at the end.
  string next_page_token = 2;
  // Exact.
  optional int64 total = 3;
}

message Update${one}Request {
  ${id}
  optional ${name("string name = 2")}
  optional string description = 3 [(buf.validate.field).string.max_len = 2000];
  // Must match the stored one where given.
  optional int64 record_version = 4 [(buf.validate.field).int64.gte = 0];
  // Which fields to change; one that is named and not set goes back to its default. Absent: those that are set.
  google.protobuf.FieldMask update_mask = 5;
}

message Delete${one}Request {
  ${id}
  optional int64 record_version = 2 [(buf.validate.field).int64.gte = 0];
}

message Delete${one}Response {
  string id = 1;
  bool deleted = 2;
}
`;
}
