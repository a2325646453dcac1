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
import { CONFIG_OPTION } from "../session/project-people";
import { ANSWER_MS, withSession } from "../session/session";
import { type DecisionSigner, signerOf } from "../session/signing";
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
    .description(
      "record a decision in the journal of a mission that runs or waits, signed with your key if you are logged in",
    )
    .option("--by <name>", "who decides (default: who is logged in, see navigator login)")
    .option("--note <text>", "why")
    .option("--overwrite", "replace a record that exists")
    .option("--signal", "send it as a plain Temporal signal: needs no worker now and returns no answer")
    .option(...CONFIG_OPTION)
    .addHelpText(
      "after",
      "\nVALUE is JSON or @FILE.\n\nExample:\n  $ navigator journal set order-42 payment_confirmed_42 true --note 'seen on the bank statement'",
    )
    .action(async (id: string, journalId: string, value: string, options: SetOptions) => {
      const said = saidOf(journalId, value, options);
      const signer = await signerOf(io, options.by);
      return withSession(
        io,
        false,
        async ({ client }) => {
          await setRecord(io, client, id, said, signer, options.signal === true);
          // Behind the answer: a refusal is the only thing on stderr.
          if (signer.warning !== null) io.err(signer.warning);
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
  by?: string;
  note?: string;
  overwrite?: boolean;
  signal?: boolean;
}

function saidOf(id: string, value: string, options: SetOptions): Omit<JournalDecision, "by"> {
  if (id.trim() === "")
    throw new NavigatorError("bad_usage", "The journal id must not be empty.", { details: { path: "ID" } });
  return {
    id,
    value: jsonArgument("VALUE", value),
    via: "cli",
    ...defined({ note: options.note }),
    ...(options.overwrite ? { overwrite: true } : {}),
  };
}

async function setRecord(
  io: CommandIo,
  client: NavigatorClient,
  id: string,
  said: Omit<JournalDecision, "by">,
  { by, key }: DecisionSigner,
  asSignal: boolean,
): Promise<void> {
  const { recordOrSignal } = await import("../../client/runs/record-decision");
  const decision = { ...said, by };
  const row = await recordOrSignal(client, client.agent(id), decision, { key, asSignal });
  if (row !== null) return io.result(row, () => `Recorded ${row.id}: ${row.text} (by ${row.by})`);
  io.result({ sent: true, id: decision.id }, () =>
    asSignal
      ? "Sent. A signal returns no answer: see the result with `navigator journal show`."
      : `Sent. No worker is running: "${decision.id}" is recorded when one starts (navigator worker, or navigator run again).`,
  );
}

/** Read from the history if it shows every value whole. Only the mission itself has the large ones. */
async function wholeJournal(handle: AgentHandle): Promise<Json> {
  const { rows } = await handle.projection();
  if (rows.every((row) => row.value !== undefined))
    return Object.fromEntries(rows.map((row) => [row.id, row.value as Json]));
  return handle.wholeJournal();
}
