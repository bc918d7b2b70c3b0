import { create, type DescFile, toBinary } from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema, ServiceDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";
import type {
  Server,
  ServerDuplexStream,
  ServiceDefinition,
  UntypedServiceImplementation,
} from "@grpc/grpc-js";
import { ReflectionService } from "@grpc/reflection";
import { Call } from "../calls/call.ts";
import { doorMethod } from "../calls/door-method.ts";
import type { Invoker } from "../calls/invoke.ts";
import type { ContractMethod } from "../contract/index.ts";
import { errorDetailFiles } from "../errors/details.ts";
import { grpcErrorOf } from "../errors/grpc.ts";
import { GrpcSource } from "./grpc-calls.ts";
import { healthFile, healthService } from "./health-file.ts";
import type { OpenStreams } from "./open-streams.ts";
import { toRefusalError } from "./refusal-of.ts";

/** Server reflection (v1 and v1alpha) over what this plane serves, the health service too; behind authentication like everything else. */
export function addReflection(server: Server, invoker: Invoker, streams: OpenStreams): void {
  const own = new Set(invoker.methods.map((method) => method.descriptor.parent.typeName));
  const services = [...own, healthService];
  const reflection = new ReflectionService(packageOf(invoker.methods), { services });
  const guarded = {
    addService(definition: ServiceDefinition, implementation: UntypedServiceImplementation) {
      const [[name, handle]] = Object.entries(implementation) as [[string, Handle]];
      server.addService(definition, { [name]: guard(handle, invoker, streams) });
    },
  };
  reflection.addToServer(guarded as Server);
}

type Handle = (stream: ServerDuplexStream<unknown, unknown>) => void;

function guard(handle: Handle, invoker: Invoker, streams: OpenStreams): Handle {
  return (stream) => {
    streams.add(stream);
    const source = new GrpcSource(stream);
    const call = new Call({ method: reflectionMethod, plane: invoker.plane, protocol: "grpc", source });
    const fail = (thrown: unknown) =>
      stream.emit("error", grpcErrorOf(toRefusalError(thrown, invoker.log).refusal, call.requestId));
    invoker.guard(call, {}).then(() => {
      if (stream.cancelled) return;
      const standing = invoker.standingOf(call, fail);
      for (const event of ["cancelled", "end", "close"]) stream.on(event, () => standing.stop());
      holdBack(stream);
      handle(stream);
    }, fail);
  };
}

/** Answers at once whatever comes: who asks and does not read is not listened to until it does. */
function holdBack(stream: ServerDuplexStream<unknown, unknown>): void {
  const write = stream.write.bind(stream) as (answer: unknown) => boolean;
  stream.write = (answer: unknown) => {
    const hasRoom = write(answer);
    if (!hasRoom) stream.pause();
    return hasRoom;
  };
  stream.on("drain", () => stream.resume());
}

const reflectionMethod = doorMethod({
  name: "ServerReflection.ServerReflectionInfo",
  path: "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
  kind: "bidi_streaming",
  resource: "meta",
  open: "It tells the contract.",
});

type ReflectedPackage = ConstructorParameters<typeof ReflectionService>[0];

/** The files behind the methods, in the form proto-loader has them; methods of the other plane are cut out. */
function packageOf(methods: readonly ContractMethod[]): ReflectedPackage {
  const served = new Set(methods.map((method) => method.path));
  const files = new Map<string, Buffer>();
  const add = (file: DescFile) => {
    if (files.has(file.proto.name)) return;
    files.set(file.proto.name, Buffer.from(toBinary(FileDescriptorProtoSchema, onlyServed(file, served))));
    for (const dependency of file.dependencies) add(dependency);
  };
  for (const method of methods) add(method.descriptor.parent.file);
  // No method names them, but every error carries them: without them a client shows bytes.
  for (const file of errorDetailFiles()) add(file);
  const fileDescriptorProtos = [...files.values(), healthFile()];
  return {
    contract: { format: "Protocol Buffer 3 DescriptorProto", type: {}, fileDescriptorProtos },
  } as never;
}

function onlyServed(file: DescFile, served: ReadonlySet<string>) {
  const service = file.services
    .map((desc) => {
      const method = desc.proto.method.filter(({ name }) => served.has(`/${desc.typeName}/${name}`));
      return create(ServiceDescriptorProtoSchema, { ...desc.proto, method });
    })
    .filter(({ method }) => method.length > 0);
  return create(FileDescriptorProtoSchema, { ...file.proto, service });
}
