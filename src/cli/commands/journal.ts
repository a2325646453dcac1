import type { NavigatorClient } from "../../client/client";
import type { AgentHandle } from "../../client/handles";
import { missionEnd } from "../../client/history";
import { type MissionTree, missionTree } from "../../client/mission-tree";
import { recordOrSignal } from "../../client/runs/record-decision";
import { defined } from "../../core/base/defined";
import type { Json } from "../../core/base/json";
import type { JournalDecision } from "../../core/journal/decision-input";
import { shellWord } from "../../node/shell-word";
import { jsonArgument } from "../input/arguments";
import { withSession } from "../session/session";
import { type DecisionSigner, signerOf } from "../session/signing";
import { endLines, failureLines, journalTable } from "../show/render-missions";
import { CONFIG_OPTION, type TopCommands } from "../terminal/command";

import { badUsage } from "../terminal/exit";
import type { CommandIo } from "../terminal/io";

export const journalCommands: TopCommands = {
  journal: {
    commands: [
      {
        name: "show <id>",
        about: "the records of a mission, read from its history (no worker needed)",
        examples: ["navigator journal show order-42", "navigator journal show task/order-42/charge/1"],
        run: (io: CommandIo, id: string) =>
          withSession(io, "read", async ({ client }) => {
            const tree = await missionTree(client, client.agent(id).workflow.workflowId);
            const { rows, workflow_type } = tree.projection;
            const none = workflow_type === "agentRun" ? "The journal is empty." : taskText(tree.children);
            io.result(rows, () => (rows.length === 0 ? none : journalTable(rows)));
            // The answer is a list of records, so the error follows it: for machines on stderr.
            for (const line of endLines(tree, io.color)) io.json ? io.err(line) : io.out(line);
          }),
      },
      {
        name: "export <id>",
        about: "the journal as one JSON object with complete values, as `run --journal @FILE` takes it",
        examples: ["navigator journal export order-42 > journal.json"],
        run: (io: CommandIo, id: string) =>
          withSession(io, "ask", async ({ client }) => {
            const handle = client.agent(id);
            const whole = await wholeJournal(handle);
            io.result(whole, () => JSON.stringify(whole, null, 2));
            const { workflow } = handle;
            for (const line of failureLines(workflow.workflowId, await missionEnd(workflow), io.color)) io.err(line);
          }),
      },
      {
        name: "set <id> <journal-id> <value>",
        about:
          "record a decision in the journal of a mission that runs or waits, signed with your key if you are logged in",
        options: [
          ["--by <name>", "who decides (default: who is logged in, see navigator login)"],
          ["--note <text>", "why"],
          ["--overwrite", "replace a record that exists"],
          ["--signal", "send it as a plain Temporal signal: needs no worker now and returns no answer"],
          CONFIG_OPTION,
        ],
        notes: "VALUE is JSON or @FILE.",
        examples: ["navigator journal set order-42 payment_confirmed_42 true --note 'seen on the bank statement'"],
        run: async (io: CommandIo, id: string, journalId: string, value: string, options: SetOptions) => {
          const given = decisionOf(journalId, value, options);
          const signer = await signerOf(io, options.by);
          return withSession(io, "ask", async ({ client }) => {
            await setRecord(io, client, id, given, signer, options.signal === true);
            // After the answer, because a refusal must be the only text on stderr.
            if (signer.warning !== null) io.err(signer.warning);
          });
        },
      },
    ],
  },
};

function taskText(children: readonly MissionTree[]): string {
  const runs = children.map(({ workflow_id }) => `  navigator journal show ${shellWord(workflow_id)}`);
  return ["A task has no journal; each of its agent runs has one.", ...runs].join("\n");
}

interface SetOptions {
  by?: string;
  note?: string;
  overwrite?: boolean;
  signal?: boolean;
}

function decisionOf(id: string, value: string, options: SetOptions): Omit<JournalDecision, "by"> {
  if (id.trim() === "") throw badUsage("ID", "The journal id must not be empty.");
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
  given: Omit<JournalDecision, "by">,
  { by, key }: DecisionSigner,
  asSignal: boolean,
): Promise<void> {
  const decision = { ...given, by };
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
