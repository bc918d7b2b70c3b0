import { fromJson, toBinary } from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";

export const healthService = "grpc.health.v1.Health";

/**
 * The file of the standard health service, for reflection. The one that grpc-health-check has by proto-loader names its map
 * entries in a way that clients in Go refuse.
 */
export function healthFile(): Buffer {
  const file = fromJson(FileDescriptorProtoSchema, {
    name: "grpc/health/v1/health.proto",
    package: "grpc.health.v1",
    syntax: "proto3",
    messageType: [
      { name: "HealthCheckRequest", field: [field("service", 1, { type: "TYPE_STRING" })] },
      {
        name: "HealthCheckResponse",
        field: [field("status", 1, { type: "TYPE_ENUM", typeName: `${response}.ServingStatus` })],
        enumType: [{ name: "ServingStatus", value: statuses.map((name, number) => ({ name, number })) }],
      },
      { name: "HealthListRequest" },
      {
        name: "HealthListResponse",
        field: [
          field("statuses", 1, {
            label: "LABEL_REPEATED",
            type: "TYPE_MESSAGE",
            typeName: ".grpc.health.v1.HealthListResponse.StatusesEntry",
          }),
        ],
        nestedType: [
          {
            name: "StatusesEntry",
            field: [
              field("key", 1, { type: "TYPE_STRING" }),
              field("value", 2, { type: "TYPE_MESSAGE", typeName: response }),
            ],
            options: { mapEntry: true },
          },
        ],
      },
    ],
    service: [
      {
        name: "Health",
        method: [
          { name: "Check", inputType: request, outputType: response },
          { name: "List", inputType: listRequest, outputType: listResponse },
          { name: "Watch", inputType: request, outputType: response, serverStreaming: true },
        ],
      },
    ],
  });
  return Buffer.from(toBinary(FileDescriptorProtoSchema, file));
}

const request = ".grpc.health.v1.HealthCheckRequest";
const response = ".grpc.health.v1.HealthCheckResponse";
const listRequest = ".grpc.health.v1.HealthListRequest";
const listResponse = ".grpc.health.v1.HealthListResponse";
const statuses = ["UNKNOWN", "SERVING", "NOT_SERVING", "SERVICE_UNKNOWN"];

function field(name: string, number: number, more: { type: string; label?: string; typeName?: string }) {
  return { name, number, label: "LABEL_OPTIONAL", jsonName: name, ...more };
}
