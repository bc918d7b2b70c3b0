import type { EntityMethod } from "#runtime";
import { describeVersion } from "../../kit/activation.ts";
import type { PageRequest } from "../../kit/list.ts";
import { answered, answering, versionOf } from "../../kit/methods.ts";
import type { Message } from "../../kit/record.ts";
import type { Command } from "./decide.ts";
import type { ListRequest } from "./list.ts";
import { poolMessage, recipientMessage, ruleMessage } from "./resources.ts";
import { checkAction } from "./rule-check.ts";
import type { Event, State } from "./state.ts";
import { keepVersion } from "./versions.ts";

type Method = EntityMethod<State, Command, Event>;
type Make<Request> = (request: Request) => Command;

export const methods: Readonly<Record<string, Method>> = {
  "PoolService.GetPool": answerPool((request: PoolRef) => ({ type: "get", poolId: request.pool_id })),
  "PoolService.UpdatePool": answerPool((request: PoolRef) => ({
    type: "update",
    poolId: request.pool_id,
    given: messageOf(request),
  })),
  "PoolService.SetPoolEnabled": answerPool((request: PoolRef & { enabled: boolean }) => ({
    type: "set_enabled",
    poolId: request.pool_id,
    enabled: request.enabled,
    ...versionOf(request),
  })),
  "PoolService.SetChangeControl": answerPool(
    (request: PoolRef & { change_control: "open" | "governed" }) => ({
      type: "set_change_control",
      poolId: request.pool_id,
      changeControl: request.change_control,
      ...versionOf(request),
    }),
  ),
  "PoolService.GetPoolVersion": answered((request) => ({
    type: "get_version",
    poolId: request.pool_id as string,
    version: request.version as number,
  })),
  "PoolService.ListPoolVersions": answered((request) => ({
    type: "list_versions",
    poolId: request.pool_id as string,
    request: request as PageRequest,
  })),
  [keepVersion.name]: answering(keepVersion, ({ pool_id, kind, content, imported }) => ({
    type: "create_version",
    poolId: pool_id,
    kind,
    ...(content && { content }),
    ...(imported && { imported }),
  })),
  [describeVersion.pool.name]: answering(describeVersion.pool, ({ id, version }) => ({
    type: "describe_version",
    poolId: id,
    version,
  })),
  "PoolService.DeletePool": answerDeleted((request: PoolRef & { force?: boolean }) => ({
    type: "delete",
    poolId: request.pool_id,
    force: request.force ?? false,
    ...versionOf(request),
  })),
  "RecipientService.CreateRecipient": {
    command: (request) => ({
      type: "create_recipient",
      poolId: (request as PoolRef).pool_id,
      given: request as Message,
    }),
    respond(state, events, command, context, existing) {
      const put = events.find((event) => event.type === "recipient_put");
      const message = recipientMessage(state, put ? put.recipient.id : (existing as string), context);
      const { given } = command as { given: Message };
      return given.if_absent === true ? { ...message, created: put !== undefined } : message;
    },
  },
  "RecipientService.GetRecipient": answerRecipient((request: RecipientRef) => ({
    type: "get_recipient",
    id: request.recipient_id,
  })),
  "RecipientService.UpdateRecipient": answerRecipient((request: RecipientRef) => ({
    type: "update_recipient",
    id: request.recipient_id,
    given: messageOf(request),
  })),
  "RecipientService.PauseRecipient": answerRecipient((request: RecipientRef) => ({
    type: "set_recipient_status",
    id: request.recipient_id,
    status: "paused",
  })),
  "RecipientService.ResumeRecipient": answerRecipient((request: RecipientRef) => ({
    type: "set_recipient_status",
    id: request.recipient_id,
    status: "active",
  })),
  "RecipientService.DeleteRecipient": answerDeleted((request: RecipientRef) => ({
    type: "delete_recipient",
    id: request.recipient_id,
    ...versionOf(request),
  })),
  "RecipientService.ListRecipients": answerList("recipients"),
  "RuleService.CreateRule": answerRule((request: PoolRef) => ({
    type: "create_rule",
    poolId: request.pool_id,
    given: messageOf(request),
  })),
  "RuleService.GetRule": answerRule((request: RuleRef) => ({ type: "get_rule", id: request.rule_id })),
  "RuleService.UpdateRule": answerRule((request: RuleRef) => ({
    type: "update_rule",
    id: request.rule_id,
    given: messageOf(request),
  })),
  "RuleService.DeleteRule": answerDeleted((request: RuleRef) => ({
    type: "delete_rule",
    id: request.rule_id,
    ...versionOf(request),
  })),
  "RuleService.ListRules": answerList("rules"),
  [checkAction.name]: answering(checkAction, (check) => ({
    type: "check_action",
    poolId: check.pool_id,
    check,
  })),
};

interface Versioned {
  readonly record_version?: number;
}
interface PoolRef extends Versioned {
  readonly pool_id: string;
}
interface RecipientRef extends Versioned {
  readonly recipient_id: string;
}
interface RuleRef extends Versioned {
  readonly rule_id: string;
}

function answerPool<Request>(make: Make<Request>): Method {
  return { command: (request) => make(request as Request), respond: poolMessage };
}

function answerRecipient<Request>(make: Make<Request>): Method {
  return {
    command: (request) => make(request as Request),
    respond: (state, _events, command, context) =>
      recipientMessage(state, (command as { id: string }).id, context),
  };
}

function answerRule<Request>(make: Make<Request>): Method {
  return {
    command: (request) => make(request as Request),
    respond(state, events, command, context) {
      const put = events.find((event) => event.type === "rule_put");
      return ruleMessage(state, put ? put.rule.id : (command as { id: string }).id, context);
    },
  };
}

function answerDeleted<Request>(make: Make<Request>): Method {
  return {
    command: (request) => make(request as Request),
    respond(_state, _events, command) {
      return {
        id: command.type === "delete" ? command.poolId : (command as { id: string }).id,
        deleted: true,
      };
    },
  };
}

function answerList(list: "recipients" | "rules"): Method {
  return answered((request) => ({
    type: "list",
    list,
    poolId: (request as unknown as PoolRef).pool_id,
    request: request as ListRequest,
  }));
}

function messageOf(request: object): Message {
  return request as Message;
}
