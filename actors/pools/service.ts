import { assert, isRefusal } from "#base";
import type { Context, EntityMethod } from "#runtime";
import { cutToBytes, pageBounds, sealCursor } from "../shared/cursor.ts";
import { poolResource, recipientResource, recipientStatus, ruleResource } from "../shared/pool-record.ts";
import type { RouterView } from "../shared/router.ts";
import { type Command, type ListRequest, listScope, type Message } from "./decide.ts";
import { actionOf } from "./rule-action.ts";
import { type ActionCheck, actionProblems } from "./rule-check.ts";
import { type Event, recipientIdsOf, ruleIdsOf, type State } from "./state.ts";

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
  "PoolService.DeletePool": answerDeleted(
    (request: PoolRef & { force?: boolean }) => ({
      type: "delete",
      poolId: request.pool_id,
      force: request.force ?? false,
      ...versionOf(request),
    }),
    (command) => (command as { poolId: string }).poolId,
  ),
  "RecipientService.CreateRecipient": answerRecipient((request: PoolRef) => ({
    type: "create_recipient",
    poolId: request.pool_id,
    given: messageOf(request),
  })),
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
  "RecipientService.DeleteRecipient": answerDeleted(
    (request: RecipientRef) => ({
      type: "delete_recipient",
      id: request.recipient_id,
      ...versionOf(request),
    }),
    (command) => (command as { id: string }).id,
  ),
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
  "RuleService.DeleteRule": answerDeleted(
    (request: RuleRef) => ({ type: "delete_rule", id: request.rule_id, ...versionOf(request) }),
    (command) => (command as { id: string }).id,
  ),
  "RuleService.ListRules": answerList("rules"),
  "Pool.CheckAction": {
    command: (request) => ({
      type: "get",
      poolId: (request as ActionCheck).pool_id,
      check: request as ActionCheck,
    }),
    respond(state, _events, command) {
      const { action, ...target } = (command as { check: ActionCheck }).check;
      return { problems: actionProblems(state, actionOf(action as Message), target) };
    },
  },
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
  return {
    command: (request) => make(request as Request),
    respond: (state) =>
      poolResource(state.pool!, state.tenant, {
        recipientIds: recipientIdsOf(state),
        ruleIds: ruleIdsOf(state),
      }),
  };
}

function answerRecipient<Request>(make: Make<Request>): Method {
  return {
    command: (request) => make(request as Request),
    respond(state, events, command, context) {
      const put = events.find((event) => event.type === "recipient_put");
      return recipientOf(state, put ? put.recipient.id : (command as { id: string }).id, context);
    },
  };
}

function answerRule<Request>(make: Make<Request>): Method {
  return {
    command: (request) => make(request as Request),
    respond(state, events, command, context) {
      const put = events.find((event) => event.type === "rule_put");
      return ruleOf(state, put ? put.rule.id : (command as { id: string }).id, context);
    },
  };
}

function answerDeleted<Request>(make: Make<Request>, idOf: (command: Command) => string): Method {
  return {
    command: (request) => make(request as Request),
    respond: (_state, _events, command) => ({ id: idOf(command), deleted: true }),
  };
}

function answerList(list: "recipients" | "rules"): Method {
  return {
    command: (request) => ({
      type: "list",
      list,
      poolId: (request as PoolRef).pool_id,
      request: request as ListRequest,
    }),
    respond(state, _events, command, context) {
      assert(command.type === "list", "a list answers a list");
      const scope = listScope(state, command);
      const bounds = pageBounds(command.request, state.seal, scope);
      assert(!isRefusal(bounds), "a decided list has bounds");
      const ids = filtered(state, command, context);
      const start = bounds.after ? ids.findIndex((id) => id > bounds.after![0]!) : bounds.offset;
      const page = start === -1 ? [] : ids.slice(start, start + bounds.size);
      const resources = page.map((id) => (list === "rules" ? ruleOf : recipientOf)(state, id, context));
      const shown = cutToBytes(resources);
      const more = start !== -1 && start + shown.length < ids.length;
      return {
        [list]: shown,
        next_page_token: more ? sealCursor(state.seal, scope, [page[shown.length - 1]!]) : "",
        total: ids.length,
      };
    },
  };
}

function filtered(state: State, command: Command & { type: "list" }, context: Context): readonly string[] {
  if (command.list === "rules") return ruleIdsOf(state);
  const { status } = command.request;
  if (status === undefined) return recipientIdsOf(state);
  const { recipients } = context.twin<RouterView>("router");
  return recipientIdsOf(state).filter(
    (id) => recipientStatus(state.recipients.get(id)!, recipients.get(id)) === status,
  );
}

function recipientOf(state: State, id: string, context: Context): Record<string, unknown> {
  const live = context.twin<RouterView>("router").recipients.get(id);
  return recipientResource(state.recipients.get(id)!, { poolId: state.pool!.id, tenant: state.tenant }, live);
}

function ruleOf(state: State, id: string, context: Context): Record<string, unknown> {
  const errors = context.twin<RouterView>("router").ruleErrors.get(id) ?? 0;
  return ruleResource(state.rules.get(id)!, { poolId: state.pool!.id, tenant: state.tenant }, errors);
}

function messageOf(request: object): Message {
  return request as Message;
}

function versionOf({ record_version }: Versioned): { version?: number } {
  return record_version === undefined ? {} : { version: record_version };
}
