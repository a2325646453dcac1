import type { Command } from "commander";
import type { NavigatorClient } from "../../client/client";
import type { AgentHandle } from "../../client/handles";
import type { MissionTree } from "../../client/mission-tree";
import { defined } from "../../core/base/defined";
import type { Json } from "../../core/base/json";
import { NavigatorError } from "../../core/base/navigator-error";
import type { JournalDecision } from "../../core/journal/decision-input";
import { shellWord } from "../../node/shell-word";
import { jsonArgument } from "../input/json-argument";
import { ANSWER_MS, withSession } from "../session/session";
import { EXIT } from "../terminal/exit";
import type { CommandIo } from "../terminal/io";

export function registerJournal(program: Command, io: CommandIo): void {
  const journal = program.command("journal").description("show, write or export the journal of a mission");

  journal
    .command("show <id>")
    .description("the records of a mission, read from its history (no worker needed)")
    .addHelpText(
      "after",
      "\nExample:\n  $ navigator journal show order-42\n  $ navigator journal show task/order-42/charge/1",
    )
    .action((id: string) =>
      withSession(io, false, async ({ client }) => {
        const { endLines, journalTable } = await import("../show/render-missions");
        const { missionTree } = await import("../../client/mission-tree");
        const tree = await missionTree(client, client.agent(id).workflow.workflowId);
        const { rows, workflow_type } = tree.projection;
        const none = workflow_type === "agentRun" ? "The journal is empty." : taskText(tree.children);
        io.result(rows, () => (rows.length === 0 ? none : journalTable(rows)));
        // The answer is a list of records, so the error stands behind it: for machines on stderr.
        for (const line of endLines(tree, io.color)) io.json ? io.err(line) : io.out(line);
        return EXIT.done;
      }),
    );

  journal
    .command("export <id>")
    .description("the journal as one JSON object with complete values, as `run --journal @FILE` takes it")
    .addHelpText("after", "\nExample:\n  $ navigator journal export order-42 > journal.json")
    .action((id: string) =>
      withSession(
        io,
        false,
        async ({ client }) => {
          const { failureLines } = await import("../show/render-missions");
          const { missionEnd } = await import("../../client/history");
          const handle = client.agent(id);
          const whole = await wholeJournal(handle);
          io.result(whole, () => JSON.stringify(whole, null, 2));
          const { workflow } = handle;
          for (const line of failureLines(workflow.workflowId, await missionEnd(workflow), io.color)) io.err(line);
          return EXIT.done;
        },
        { within_ms: ANSWER_MS },
      ),
    );

  journal
    .command("set <id> <journal-id> <value>")
    .description("record a decision in the journal of a running or waiting mission; VALUE is JSON or @FILE")
    .requiredOption("--by <name>", "who decides")
    .option("--note <text>", "why")
    .option("--overwrite", "replace a record that exists")
    .option("--signal", "send it as a plain Temporal signal: needs no worker now and returns no answer")
    .addHelpText("after", "\nExample:\n  $ navigator journal set order-42 payment_confirmed_42 true --by anna")
    .action((id: string, journalId: string, value: string, options: SetOptions) => {
      const decision = decisionOf(journalId, value, options);
      return withSession(
        io,
        false,
        async ({ client }) => {
          const handle = client.agent(id);
          const served = options.signal !== true && (await isServed(client, handle));
          await setRecord(io, handle, decision, served, options.signal === true);
          return EXIT.done;
        },
        { within_ms: ANSWER_MS },
      );
    });
}

function taskText(children: readonly MissionTree[]): string {
  const runs = children.map(({ workflow_id }) => `  navigator journal show ${shellWord(workflow_id)}`);
  return ["A task has no journal of its own; each of its agent runs has one.", ...runs].join("\n");
}

interface SetOptions {
  by: string;
  note?: string;
  overwrite?: boolean;
  signal?: boolean;
}

function decisionOf(id: string, value: string, options: SetOptions): JournalDecision {
  for (const [what, text] of Object.entries({ "The journal id": id, "--by": options.by }))
    if (text.trim() === "") throw new NavigatorError("invalid_arguments", `${what} must not be empty.`);
  return {
    id,
    value: jsonArgument("VALUE", value),
    by: options.by,
    ...defined({ note: options.note }),
    ...(options.overwrite ? { overwrite: true } : {}),
  };
}

/**
 * Records the decision at once if a worker answers. Otherwise the decision is sent as a signal, which waits for a
 * worker: a waiting mission often has none.
 */
async function setRecord(
  io: CommandIo,
  handle: AgentHandle,
  decision: JournalDecision,
  served: boolean,
  asSignal: boolean,
): Promise<void> {
  if (served) {
    const row = await handle.recordDecision(decision);
    return io.result(row, () => `Recorded ${row.id}: ${row.text} (by ${row.by})`);
  }
  await refuseReplacing(handle, decision);
  await handle.signalDecision(decision);
  io.result({ sent: true, id: decision.id }, () =>
    asSignal
      ? "Sent. A signal returns no answer: see the result with `navigator journal show`."
      : `Sent. No worker is running: "${decision.id}" is recorded when one starts (navigator worker, or navigator run again).`,
  );
}

/** The time in which a worker must answer. The signal needs the rest of the command's time. */
const SERVED_MS = 4_000;

async function isServed(client: NavigatorClient, handle: AgentHandle): Promise<boolean> {
  try {
    await client.temporal.withDeadline(Date.now() + SERVED_MS, () => handle.status());
    return true;
  } catch (error) {
    if ((error as { code?: unknown }).code === "no_worker") return false;
    throw error;
  }
}

/** A mission only counts a bad signal. So a decision that its history shows to be bad is refused here. */
async function refuseReplacing(handle: AgentHandle, { id, overwrite }: JournalDecision): Promise<void> {
  const { rows } = await handle.projection();
  const row = rows.find((one) => one.id === id);
  // The mission knows whether an effect made the nil that a row shows.
  if (row && !overwrite && row.value !== null)
    throw new NavigatorError("already_recorded", `"${id}" is already recorded (by ${row.by}): ${row.text}.`, {
      hint: "Add --overwrite to replace it.",
    });
}

/** Read from the history if it shows every value whole. Only the mission itself has the large ones. */
async function wholeJournal(handle: AgentHandle): Promise<Json> {
  const { rows } = await handle.projection();
  if (rows.every((row) => row.value !== undefined))
    return Object.fromEntries(rows.map((row) => [row.id, row.value as Json]));
  return handle.wholeJournal();
}
