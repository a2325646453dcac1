import { findReview } from "../../client/find-review";
import { defined } from "../../core/base/defined";
import { kindOf, ownerOfReview, ownerWorkflowId, reviewIdIn } from "../../core/base/ids";
import type { Json, JsonObject } from "../../core/base/json";
import { NavigatorError } from "../../core/base/navigator-error";
import { WITHDRAW } from "../../core/review/decision-input";
import type { Decision, Review } from "../../core/review/review";
import { signDecision } from "../../node/identity/sign-decision";
import { shellWord } from "../../node/shell-word";
import { jsonArgument, repeated } from "../input/arguments";
import { type Session, withSession } from "../session/session";
import { type DecisionSigner, signerOf } from "../session/signing";
import { agreementText } from "../show/review-course";
import { CONFIG_OPTION, type CommandSpec } from "../terminal/command";

import { badUsage, EXIT } from "../terminal/exit";
import type { CommandIo } from "../terminal/io";

const SENDING_OPTIONS = [
  ["--by <name>", "who decides (default: who is logged in, see navigator login)"],
  ["--note <text>", "why"],
  ["--seal <seal>", "only if the review still has this seal, as `review show` printed it"],
  ["--task <id>", "the task it belongs to (default: the one its id begins with)"],
  ["--signal", "send it as a plain Temporal signal: needs no worker now and returns no answer"],
  CONFIG_OPTION,
] as const;

/** `navigator review decide` and `navigator review withdraw`. */
export const reviewDecisionsCommands: readonly CommandSpec[] = [
  {
    name: "decide <review-id> <choice>",
    about: "decide a review; the decision is signed with your key if you are logged in",
    options: [
      ["--set <name=value>", "an argument of the call to change; JSON, else a text; may be repeated", repeated],
      ["--value <json>", "the value for the choice (JSON or @FILE)"],
      ...SENDING_OPTIONS,
    ],
    examples: [
      "navigator review decide order-42/approval/1 passed --note 'looks right'",
      "navigator review decide agent/refund-7/refund_card/1 approve --set cents=500 --by anna",
    ],
    run: (io: CommandIo, id: string, choice: string, options: DecideOptions) =>
      send(
        io,
        { review: id, choice, ...defined({ note: options.note, value: givenValue(options) }) },
        options,
        decidedText,
      ),
  },
  {
    name: "withdraw <review-id>",
    about: "take your own decision back, as long as the call that it allows has not begun",
    options: [...SENDING_OPTIONS],
    examples: ["navigator review withdraw agent/refund-7/refund_card/1 --note 'wrong order'"],
    run: async (io: CommandIo, id: string, options: SendOptions) => {
      return send(
        io,
        { review: id, choice: WITHDRAW, ...defined({ note: options.note }) },
        options,
        (decided, by) => `Withdrawn: the decision of ${by} on ${decided.id}. The review is ${decided.status}.`,
      );
    },
  },
];

interface SendOptions {
  by?: string;
  note?: string;
  seal?: string;
  task?: string;
  signal?: boolean;
}

interface DecideOptions extends SendOptions {
  set?: string[];
  value?: string;
}

type GivenDecision = Omit<Decision, "by">;

/** The value of a decision: the whole, or the arguments that change. */
function givenValue({ set, value }: DecideOptions): Json | undefined {
  if (set === undefined) return value === undefined ? undefined : jsonArgument("--value", value);
  if (value !== undefined) throw badUsage("--value", "Give the value with --value or with --set, not with both.");
  const changed = new Map<string, Json>();
  for (const text of set) {
    const at = text.indexOf("=");
    const name = text.slice(0, Math.max(0, at)).trim();
    if (name === "")
      throw badUsage(
        "--set",
        `--set: "${text}" has no value: write NAME=VALUE.`,
        "Name an argument and its value: --set cents=500",
      );
    if (changed.has(name)) throw badUsage("--set", `--set: "${name}" is set twice.`);
    changed.set(name, jsonOrText(text.slice(at + 1)));
  }
  return Object.fromEntries(changed) as JsonObject;
}

function jsonOrText(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

async function send(
  io: CommandIo,
  given: GivenDecision,
  options: SendOptions,
  text: (decided: Review, by: string, choice: string) => string | Promise<string>,
): Promise<void> {
  const signer = await signerOf(io, options.by);
  const work = async (session: Session) => {
    const answer = options.signal
      ? await sendSignal(session, given, signer, options)
      : await sendUpdate(session, given, signer, options);
    const shown = answer.text ?? (await text(answer.result as Review, signer.by, given.choice));
    io.result(answer.result, () => shown);
    // After the answer, because a refusal must be the only text on stderr.
    if (signer.warning !== null) io.err(signer.warning);
    return EXIT.done;
  };
  return withSession(io, "ask", work);
}

interface Answer {
  result: Review | { sent: true };
  text?: string;
}

async function sendUpdate(
  { client }: Session,
  given: GivenDecision,
  signer: DecisionSigner,
  options: SendOptions,
): Promise<Answer> {
  const { workflow_id, review } = await findReview(client, given.review, options.task);
  const decision = await signed({ ...given, review: review.id }, signer, options.seal ?? review.seal);
  try {
    return { result: await client.reviewed(workflow_id).decide(decision) };
  } catch (error) {
    throw error instanceof NavigatorError && error.code === "no_worker" ? notAnswered(error, review) : error;
  }
}

/** The server keeps an update for a while, and a worker that comes in this time takes it. */
function notAnswered({ message, cause }: NavigatorError, { id, seal }: Review): NavigatorError {
  const pinned = seal === undefined ? "" : ` --seal ${shellWord(seal)}`;
  return new NavigatorError("no_worker", `${message} Your decision may still count, if one starts soon.`, {
    hint: `Look before you decide again: navigator review show ${shellWord(id)}\nFor a worker that comes later: the same command with --signal${pinned}`,
    exitCode: 3,
    cause,
  });
}

async function sendSignal(
  { client }: Session,
  given: GivenDecision,
  signer: DecisionSigner,
  options: SendOptions,
): Promise<Answer> {
  const owner = options.task ?? ownerOfReview(given.review);
  if (owner === undefined)
    throw badUsage("--task", `The id "${given.review}" does not name the task of the review.`, "Name it: --task ID");
  const decision = { ...given, review: reviewIdIn(client.project, given.review) };
  const seal =
    options.seal ?? (signer.key === null ? undefined : await sealOfReview(client, decision.review, options.task));
  await client.reviewed(ownerWorkflowId(owner)).signalDecide(await signed(decision, signer, seal));
  const look =
    kindOf(owner) !== undefined ? `navigator log ${shellWord(owner)}` : `navigator task show ${shellWord(owner)}`;
  return { result: { sent: true }, text: `Sent. A signal returns no answer: see the result with \`${look}\`.` };
}

/** A signature names the seal of the review, and nobody may be there who knows it. */
async function sealOfReview(
  client: Session["client"],
  id: string,
  task: string | undefined,
): Promise<string | undefined> {
  try {
    return (await findReview(client, id, task)).review.seal;
  } catch (error) {
    if (!(error instanceof NavigatorError)) throw error;
    throw new NavigatorError("bad_usage", `No worker can compute the seal of "${id}", which your signature names.`, {
      hint: "Give it, as `navigator review show` printed it: --seal SEAL",
      cause: error,
      details: { path: "--seal" },
    });
  }
}

async function signed(given: GivenDecision, { by, key }: DecisionSigner, seal: string | undefined): Promise<Decision> {
  const decision: Decision = { ...given, by, via: "cli", ...defined({ seal }) };
  if (key === null) return decision;
  return signDecision(decision, key);
}

async function decidedText(decided: Review, by: string, choice: string): Promise<string> {
  return decided.status === "open"
    ? `Noted for ${decided.id}: ${choice} (by ${by}); ${agreementText(decided, by)}`
    : `Decided ${decided.id}: ${decided.decision?.choice ?? choice} (by ${decided.decision?.by ?? by})`;
}
