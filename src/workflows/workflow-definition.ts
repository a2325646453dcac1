import {
  allHandlersFinished,
  condition,
  continueAsNew,
  setCurrentDetails,
  setHandler,
  upsertMemo,
  workflowInfo,
} from "@temporalio/workflow";
import { jsonBytes } from "../core/base/bytes";
import { canonical } from "../core/base/canonical";
import { failed, type Result } from "../core/base/failure";
import { definitionIdOf } from "../core/base/ids";
import { formatFields, like, workflowInput } from "../core/base/input/workflow-input";
import { isObject } from "../core/base/is-object";
import type { Json } from "../core/base/json";
import { MAX_PAYLOAD_BYTES } from "../core/base/limits";
import type { RunFormat } from "../core/base/run-format";
import { type Definition, WORKFLOW_ID } from "../core/graph/definition/schema";
import type { DefinitionSource, StoredVersion } from "../core/graph/definition/stored";
import { renderDiagram } from "../core/graph/show/diagram";
import { readWholeDefinition } from "../core/graph/task/machine/read-task-setup";
import { isContinued, isUnnamed } from "./checked-input";
import { valueOrReject } from "./failures";
import { historyIsLong } from "./history-limits";
import * as messages from "./messages";
import { givenFormat } from "./run-format";
import { takeUnreadableSignals } from "./sdk/unreadable-signals";

/** Input of the workflow `workflowDefinition`. */
export interface WorkflowDefinitionInput extends RunFormat {
  id: string;
  versions?: StoredVersion[];
}

/**
 * Keeps the versions of one definition, the newest last. Definitions are read and checked before they are sent here;
 * only harmful input is refused. Tasks carry their own copy, so nothing here changes a task that runs.
 */
export async function workflowDefinition(raw: WorkflowDefinitionInput): Promise<void> {
  takeUnreadableSignals();
  const format = givenFormat(raw);
  const { id, versions: before = [] } = valueOrReject(
    readInput(raw ?? {}, { knownFields: isUnnamed(raw), continued: isContinued() }),
  );
  let versions = before;
  const newest = () => versions.at(-1) ?? null;

  setHandler(messages.newestQuery, newest);
  setHandler(messages.versionQuery, (version) => versions.find((one) => one.version === version) ?? null);
  setHandler(messages.versionsQuery, () => versions.map(({ definition: _, ...one }) => one));
  setHandler(
    messages.loadDefinition,
    (definition: Definition, source: DefinitionSource) => {
      const last = newest();
      if (last && canonical(last.definition as unknown as Json) === canonical(definition as unknown as Json))
        return { version: last.version, replaced: true, changed: false };
      const version = (last?.version ?? 0) + 1;
      versions = withinPayload([...versions, { version, definition, source, loadedAt: Date.now() }]);
      const { name, description, nodes } = definition;
      // Lists read the memo: no definition is asked.
      upsertMemo({ listing: { id, name, description, stepCount: Object.keys(nodes).length, source, version } });
      setCurrentDetails(`Version ${version}, from ${source}.\n\n${renderDiagram(definition)}`);
      return { version, replaced: last !== null, changed: true };
    },
    { validator: (definition, source) => void valueOrReject(loadable(id, definition, source)) },
  );

  await condition(historyIsLong);
  await condition(allHandlersFinished);
  await continueAsNew<typeof workflowDefinition>({ ...format, id, versions });
}

/** Versions come only from the run before: others are loaded with the update `load`, and checked. */
const readInput = workflowInput(
  "workflowDefinition",
  "id",
  () => ({ fields: { ...formatFields(), id: like("") }, continuedFields: { versions: like([]) } }),
  (raw, _take, _origin, mistakes) => {
    const { id = definitionIdOf(workflowInfo().workflowId) } = raw;
    if (typeof id !== "string" || !WORKFLOW_ID.test(id))
      mistakes.push({ path: "id", message: `must be lower-case kebab (${WORKFLOW_ID.source}), as in bug-fix` });
    return () => ({ ...raw, id }) as unknown as WorkflowDefinitionInput;
  },
);

function loadable(id: string, definition: unknown, source: unknown): Result<unknown> {
  if (!isObject(definition) || definition.id !== id)
    return failed("invalid_workflow", `That is no checked definition of workflow "${id}".`);
  const read = readWholeDefinition(definition);
  if (!read.ok) return read;
  if (!SOURCES.includes(source)) return failed("invalid_workflow", `The source is one of ${SOURCES.join(", ")}.`);
  const bytes = jsonBytes(definition as Json);
  return bytes > MAX_PAYLOAD_BYTES / 2
    ? failed("payload_too_large", `The definition is ${bytes} bytes; the limit is ${MAX_PAYLOAD_BYTES / 2}.`)
    : { ok: true as const, value: null };
}

const SOURCES: readonly unknown[] = ["catalog", "project", "external"] satisfies DefinitionSource[];

/** Drops the oldest versions if all of them do not fit into the input of the next run. */
function withinPayload(versions: StoredVersion[]): StoredVersion[] {
  let bytes = versions.map((one) => jsonBytes(one as unknown as Json));
  let kept = versions;
  while (kept.length > 1 && bytes.reduce((sum, size) => sum + size, 0) > MAX_PAYLOAD_BYTES - 1_000) {
    kept = kept.slice(1);
    bytes = bytes.slice(1);
  }
  return kept;
}
