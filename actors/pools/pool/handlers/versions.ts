import { handleOf, isRefusal, RefusalError, refuse } from "#base";
import { ask, contractMethod } from "../../../kit/ask.ts";
import type { Message } from "../../../kit/record.ts";
import type { CallContext, Orchestration } from "../../../module.ts";
import { contentMessage, mapped } from "../content.ts";
import type { Content, ContentKind } from "../version-content.ts";
import { keepVersion } from "../versions.ts";

interface CreateRequest {
  readonly pool_id: string;
  readonly kind: ContentKind;
  readonly content?: Message;
  readonly from?: {
    readonly pool_id: string;
    readonly version: number;
    readonly ids?: Readonly<Record<string, string>>;
  };
}

const getVersion = contractMethod<
  { readonly pool_id: string; readonly version: number },
  { readonly kind: string; readonly content: Readonly<Record<string, Content>> }
>("pool", "PoolService.GetPoolVersion");

/** Content of another pool is read there, with what the caller may see of it, and gets the ids of this pool here. */
export const createVersion: Orchestration = async (request, call) => {
  const { pool_id, kind, content, from } = request as CreateRequest;
  if (content !== undefined && from !== undefined) throw new RefusalError(both());
  const imported = from && (await importedFrom(from, kind, call));
  return ask(call, keepVersion, {
    key: handleOf(pool_id),
    request: {
      pool_id,
      kind,
      ...(content !== undefined && { content }),
      ...(imported && { content: imported, imported: true }),
    },
    step: "",
  });
};

async function importedFrom(
  { pool_id, version, ids = {} }: NonNullable<CreateRequest["from"]>,
  kind: ContentKind,
  call: CallContext,
): Promise<Message> {
  // The other pool is usually of another environment than X-Environment names.
  const { environment: _, ...anywhere } = call.caller;
  const asking = { ...call, caller: anywhere };
  const found = await ask(asking, getVersion, { key: handleOf(pool_id), request: { pool_id, version } });
  if (found.kind !== kind)
    throw new RefusalError(
      refuse("INVALID_ARGUMENT", `from.version is of the kind ${found.kind}, not ${kind}`, {
        fields: [{ field: "from.version", reason: `is of the kind ${found.kind}, not ${kind}` }],
      }),
    );
  const content = mapped(found.content[kind]!, ids);
  if (isRefusal(content)) throw new RefusalError(content);
  return contentMessage(content);
}

function both() {
  const reason = "cannot be given together with content";
  return refuse("INVALID_ARGUMENT", `from ${reason}`, { fields: [{ field: "from", reason }] });
}
