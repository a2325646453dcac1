import { z } from "zod";
import { shownNow } from "../core/agent/prompt/mission-log-news";
import { defined } from "../core/base/defined";
import type { ModelReply } from "../core/calls/host";
import { delay } from "../node/delay";
import { MODEL_ERROR_CLASSES, type Model, type ModelCall, ModelError } from "./model";

/**
 * The built-in model that replays answers. It keeps no state: which reply it gives depends only on the agent, the
 * number of the call in the run and what the model is shown, so a worker may die at any point.
 *
 * A script is a list of replies for every agent, or lists by agent name (`default` for all others). A reply is
 *
 *     "text"                                     or
 *     { content, tokens?, model?, delay_ms? }    or
 *     { chunks: [text, ...], ... }               or
 *     { error: { class, message, retry_after_ms? } }
 *
 * The nth call of a run gets the nth reply. With both `error` and `content`, the first `error.times` (default 1)
 * attempts of the call fail, the next one answers. `chunks` are a content that comes piece by piece where a listener
 * receives it; an error then comes after them.
 *
 * Replies with `if_contains` or `if_missing` (a text or a list of texts) are rules: they stand outside the numbering
 * and are tried first, in order. A rule answers when the system prompt, the Mission Log or the last message has every
 * text of `if_contains` and none of `if_missing`. So a script can answer by the records of the Mission Log:
 *
 *     charge:
 *       - content: ...                                   # the first call
 *       - if_contains: "[done] payment_confirmed_42"     # any call, once the Mission Log shows it
 *         content: ...
 */
const Texts = z.union([z.string().min(1), z.array(z.string().min(1)).min(1)]);
const count = z.int().min(0);

const ScriptedCall = z.strictObject({
  id: z.string().optional(),
  name: z.string(),
  args: z.record(z.string(), z.json()).default({}),
  args_error: z.string().optional(),
});

const ReplyObject = z
  .strictObject({
    content: z.string().optional(),
    /** A content in pieces. */
    chunks: z.array(z.string()).min(1).optional(),
    /** What the model asks its provider to call (text mode). */
    tool_calls: z.array(ScriptedCall).optional(),
    tokens: z
      .strictObject({
        input: count.optional(),
        output: count.optional(),
        cache_creation: count.optional(),
        cache_read: count.optional(),
        total_cost: z.number().min(0).optional(),
      })
      .optional(),
    model: z.string().optional(),
    /** Milliseconds before the answer, or before each piece of it. */
    delay_ms: count.max(600_000).optional(),
    error: z
      .strictObject({
        class: z.enum(MODEL_ERROR_CLASSES).default("unknown"),
        message: z.string(),
        retry_after_ms: count.optional(),
        times: z.int().positive().optional(),
      })
      .optional(),
    if_contains: Texts.optional(),
    if_missing: Texts.optional(),
  })
  .refine(
    ({ content, chunks, tool_calls, error }) => [content, chunks, tool_calls, error].some((one) => one !== undefined),
    "a reply has `content`, `chunks`, `tool_calls` or `error`",
  )
  .refine(
    ({ content, chunks }) => content === undefined || chunks === undefined,
    "a reply has `content` or `chunks`, not both",
  );

/**
 * One reply: a text, or an object with `content`, `chunks`, `tool_calls` or `error`. One with `if_contains` or
 * `if_missing` is a rule: it stands outside of the order and answers whenever what the model was sent fits.
 */
const ScriptedReply = z.union(
  [z.string(), ReplyObject],
  "a reply is a text, {content}, {chunks}, {tool_calls} or {error: {class, message}}",
);
const Replies = z.array(ScriptedReply);

/**
 * What the scripted model answers: a list of replies, taken one after another, or such a list for each agent by name
 * (docs/models.md).
 */
export const Script = z.union([Replies, z.record(z.string(), Replies)], {
  error: "a script is a list of replies, or an object with such a list for each agent",
});
export type Script = z.input<typeof Script>;
export type ScriptedReply = z.input<typeof ScriptedReply>;
type Reply = z.input<typeof ReplyObject>;

/** @throws ModelError `config_error` that names `source` and every mistake with its path. */
export function parseScript(raw: unknown, source: string): Script {
  // The two forms are checked separately: the error of a union would only report that neither fits.
  const shape = Array.isArray(raw)
    ? Replies
    : z.record(z.string(), Replies, "a script is a list of replies, or an object with such a list for each agent");
  const parsed = shape.safeParse(raw);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues
    .flatMap(deepest)
    .map(({ path, message }) => `${path.map(String).join(".") || "script"}: ${message}`);
  throw new ModelError("config_error", `${source} is not a script: ${[...new Set(issues)].join("; ")}`);
}

/** The alternative of a union that matches if the value is an object. */
function deepest(issue: z.core.$ZodIssue): { path: PropertyKey[]; message: string }[] {
  if (issue.code !== "invalid_union") return [issue];
  const matching = issue.errors.find((issues) =>
    issues.some(({ path, code }) => path.length > 0 || code === "unrecognized_keys" || code === "custom"),
  );
  if (!matching) return [issue];
  return matching.flatMap((inner) => deepest({ ...inner, path: [...issue.path, ...inner.path] }));
}

/**
 * @param source the origin of the script, for messages
 * @param wait how time passes if not by the clock
 */
export function scriptedModel(script: Script, source: string, wait: typeof delay = delay): Model {
  return {
    async complete(call, { signal, onText }) {
      const reply = pick(script, source, call);
      const { error, chunks, content = chunks?.join(""), tool_calls, delay_ms = 0 } = reply;
      for (const piece of (onText && chunks) ?? [""]) {
        if (delay_ms > 0) await wait(delay_ms, signal);
        onText?.(piece);
      }
      const answers = content !== undefined || tool_calls !== undefined;
      if (error && (!answers || (call.attempt ?? 1) <= (error.times ?? 1)))
        throw new ModelError(
          error.class ?? "unknown",
          error.message,
          defined({ retry_after_ms: error.retry_after_ms }),
        );
      return {
        content: content ?? "",
        ...(tool_calls === undefined ? {} : { tool_calls: tool_calls as NonNullable<ModelReply["tool_calls"]> }),
        model: reply.model ?? "scripted",
        ...(reply.tokens === undefined ? {} : { tokens: reply.tokens as NonNullable<ModelReply["tokens"]> }),
      };
    },
  };
}

function pick(script: Script, source: string, call: ModelCall): Reply {
  const replies = repliesFor(call.agent, script, source).map(
    (reply): Reply => (typeof reply === "string" ? { content: reply } : reply),
  );
  const shown = shownNow(call.system, call.messages);
  const rule = replies.find((reply) => isRule(reply) && answers(reply, shown));
  if (rule) return rule;
  const numbered = replies.filter((reply) => !isRule(reply));
  // A list for all agents is used in the order of all calls, an agent's own list in the order of its calls.
  const number = Array.isArray(script) ? (call.tree_call ?? call.call) : call.call;
  const reply = numbered[number - 1];
  if (reply) return reply;
  const rules = replies.length - numbered.length;
  const noRule = rules === 0 ? "" : `, and none of its ${rules} rules fits what the model was shown`;
  throw new ModelError(
    "script_exhausted",
    `${source} has no reply for model call ${number} of ${agentWord(call.agent)}: there are ${numbered.length}${noRule}.`,
  );
}

function repliesFor(agent: string | null, script: Script, source: string): ScriptedReply[] {
  if (Array.isArray(script)) return script;
  const own = agent !== null && Object.hasOwn(script, agent) ? script[agent] : undefined;
  const replies = own ?? (Object.hasOwn(script, "default") ? script.default : undefined);
  if (replies) return replies;
  const names = Object.keys(script).join(", ") || "none";
  throw new ModelError(
    "script_exhausted",
    `${source} has no replies for ${agentWord(agent)}. It has replies for: ${names}.`,
  );
}

const agentWord = (agent: string | null): string => (agent === null ? "an agent without a name" : `agent "${agent}"`);
const isRule = (reply: Reply): boolean => reply.if_contains !== undefined || reply.if_missing !== undefined;
const list = (texts: string | string[] | undefined): string[] => (texts === undefined ? [] : [texts].flat());

function answers(reply: Reply, shown: string[]): boolean {
  const has = (text: string) => shown.some((part) => part.includes(text));
  return list(reply.if_contains).every(has) && !list(reply.if_missing).some(has);
}
