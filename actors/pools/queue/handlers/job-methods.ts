import { type Job, jobMessage } from "../../../kit/jobs.ts";
import type { PageRequest } from "../../../kit/list.ts";
import { everything, type JobKind, type Selection } from "../jobs/job.ts";
import type { ItemState } from "../rows/item.ts";
import type { Event } from "../state.ts";
import { type Method, type Methods, poolIdOf, readMethod } from "./method.ts";
import { pageOf, timeMs } from "./request.ts";

interface JobRequest {
  readonly filter?: string;
  readonly rate?: number;
  readonly states?: readonly ItemState[];
  readonly key?: string;
  readonly error_type?: string;
  readonly failed_before?: string;
}

const cancellable: readonly ItemState[] = ["scheduled", "ready", "retry_wait"];

export const jobMethods: Methods = {
  "DeadLetterService.RetryAll": startMethod(
    "retry_all",
    ({ key = "", error_type: errorType = "", failed_before }) => ({
      ...everything,
      key,
      errorType,
      failedBefore: timeMs(failed_before),
    }),
    retryAllMessage,
  ),
  "DeadLetterService.GetRetryAll": {
    ...readMethod((request: { operation_id: string }) => ({
      type: "get_job",
      kind: "retry_all",
      id: request.operation_id,
    })),
    respond: (_state, _events, _command, _context, answer) => {
      const job = answer as { changed: number };
      return { ...job, retried: job.changed };
    },
  },
  "QueueService.CancelAll": startMethod(
    "cancel_all",
    ({ states = [] }) => ({ ...everything, states: states.length > 0 ? states : cancellable }),
    jobMessage,
  ),
  "QueueControlService.ListJobs": readMethod((request: PageRequest) => ({
    type: "list_jobs",
    page: pageOf(request),
  })),
  "QueueControlService.GetJob": readMethod((request: { operation_id: string }) => ({
    type: "get_job",
    id: request.operation_id,
  })),
  "QueueControlService.CancelJob": {
    command: (request) => ({
      type: "cancel_job",
      poolId: poolIdOf(request),
      id: (request as { operation_id: string }).operation_id,
    }),
    respond: (state, _events, command) => jobMessage(state.jobs.get((command as { id: string }).id)!),
  },
};

function retryAllMessage(job: Job): object {
  return { ...jobMessage(job), retried: job.changed };
}

function startMethod(
  kind: JobKind,
  selectionOf: (request: JobRequest) => Selection,
  message: (job: Job) => object,
): Method {
  return {
    command: (request) => {
      const { filter = "", rate = 0 } = request as JobRequest;
      const selection = selectionOf(request as JobRequest);
      return { type: "start_job", poolId: poolIdOf(request), kind, filter, rate, selection };
    },
    respond: (_state, events) => message(startedJob(events)),
  };
}

function startedJob(events: readonly Event[]): Job {
  for (const event of events) if (event.type === "jobs_changed") return event.jobs[0]!;
  throw new Error("a job that is started is an event");
}
