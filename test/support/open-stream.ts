import { fromBinary, toBinary } from "@bufbuild/protobuf";
import { Client, credentials } from "@grpc/grpc-js";
import { fromPlain, toPlain } from "../../gateway/contract/index.ts";
import { contractBytes, loadRegistry } from "../../protos/index.ts";

type Message = Record<string, unknown>;

/** A bidirectional stream over gRPC, with plain messages in both directions. */
export function openStream(
  { service }: { readonly service: { readonly ports: Readonly<Record<string, number>> } },
  serviceName: string,
  methodName: string,
) {
  const described = loadRegistry(contractBytes()).getService(`service.api.${serviceName}`)!;
  const { input, output } = described.methods.find(({ name }) => name === methodName)!;
  const client = new Client(`127.0.0.1:${service.ports.grpc}`, credentials.createInsecure());
  const stream = client.makeBidiStreamRequest<Message, Message>(
    `/service.api.${serviceName}/${methodName}`,
    (plain) => Buffer.from(toBinary(input, fromPlain(input, plain))),
    (bytes) => toPlain(output, fromBinary(output, bytes)) as Message,
  );
  return { client, stream };
}
