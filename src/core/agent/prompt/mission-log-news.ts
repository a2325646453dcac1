import { escapeLineBreaks } from "../../base/one-line";
import { fnv } from "../../base/text-hash";
import type { Message } from "../../calls/host";
import { missionLogLine } from "../../journal/mission-log";

/**
 * News of the Mission Log for a model in the middle of a conversation (agent reference, section 8.4). The log of the
 * system prompt never changes during a conversation: providers cache everything up to the first character that differs
 * from the call before. So the model receives later records once, in a separate message.
 */

/** The first line of such news. */
const LOG_NEWS_HEADING = "## Mission Log (New Records)";

/** A record that the model has seen: its id, and a hash of its text. */
export type ListedRecord = [id: string, hash: string];

interface LogRow {
  id: string;
  text: string;
}

/** Lists these rows as records that the model has seen. */
export const listedRecords = (rows: readonly LogRow[]): ListedRecord[] => rows.map(({ id, text }) => [id, fnv(text)]);

/** Lists the records that are new, have changed or are gone since the last message; "" when there are none. */
export function missionLogNews(listed: readonly ListedRecord[], rows: readonly LogRow[]): string {
  const known = new Map(listed);
  const present = new Set(rows.map(({ id }) => id));
  const gone = listed.filter(([id]) => !present.has(id)).map(([id]) => `- [undone] ${escapeLineBreaks(id)}`);
  const news = rows.filter(({ id, text }) => known.get(id) !== fnv(text)).map(missionLogLine);
  return gone.length + news.length === 0 ? "" : [LOG_NEWS_HEADING, ...gone, ...news].join("\n");
}

/** Adds a record that an answer has shown to the model. */
export const alsoListed = (listed: readonly ListedRecord[], row: LogRow): ListedRecord[] => [
  ...listed.filter(([id]) => id !== row.id),
  ...listedRecords([row]),
];

/**
 * The messages with such news: before the last message, if that is the user's, so that it stays the last word; else at
 * the end, because answers of tools must follow their calls.
 */
export function withNews(messages: readonly Message[], news: string): Message[] {
  if (news === "") return [...messages];
  const at = messages.at(-1)?.role === "user" ? messages.length - 1 : messages.length;
  return [...messages.slice(0, at), { role: "user", content: news, log_news: true }, ...messages.slice(at)];
}

/**
 * Whether a message has such news, and nothing else. Its text is no proof: a person, a tool or a program may write the
 * same.
 */
export const isLogNews = ({ log_news }: Message): boolean => log_news === true;

/** The texts that a model reads besides the conversation: all messages about the Mission Log, and the last message. */
export function shownNow(system: string, messages: readonly Message[]): string[] {
  const last = messages.findLast((message) => !isLogNews(message));
  return [system, ...messages.filter(isLogNews).map(({ content }) => content), last?.content ?? ""];
}
