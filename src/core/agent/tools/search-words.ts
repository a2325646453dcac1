/**
 * The meaning of words for the search of tools (agent reference, section 4.5): their stems, and the words that people
 * and interfaces use for one another. English, and small on purpose: a group has words that mean the same in most
 * trades.
 */

/** Words of a name or a text as they stand: `createPullRequest` and `create_pull_request` are both create, pull, request. */
export function plainWords(text: string): string[] {
  const parts = text.replace(/([a-z0-9])([A-Z])/g, "$1 $2").toLowerCase();
  return parts.match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** The stems of the words of a name or a text. */
export const wordsOf = (text: string): string[] => plainWords(text).map(stem);

/**
 * Returns the words that a query asks for: its stems without empty words, and the stems that its phrases stand for.
 *
 * @param isKnown whether a tool has the stem: two words that a tool writes as one are that one, as in "pay out"
 */
export function askedWords(plain: readonly string[], isKnown: (word: string) => boolean): string[] {
  const stems = plain.filter((word) => word.length > 1 && !STOP_WORDS.has(word)).map(stem);
  const all = new Set(stems);
  for (const [i, word] of plain.entries()) {
    const compound = stem(word + (plain[i + 1] ?? ""));
    if (i + 1 < plain.length && isKnown(compound)) all.add(compound);
  }
  for (const [first, second, meaning] of PHRASES) {
    const at = plain.indexOf(first);
    const isAfter = plain.slice(at + 1, at + 2 + PHRASE_GAP).includes(second);
    if (at < 0 || !isAfter) continue;
    for (const word of [first, second]) all.delete(stem(word));
    all.add(stem(meaning));
  }
  return [...all];
}

/** Whether a query wants a list: it asks for several things, or which ones there are. */
export const asksForMany = (plain: readonly string[]): boolean =>
  plain.some((word) => MANY.has(word) || (word.length > 3 && singular(word) !== word));

/** Words of the same meaning, as stems. */
export const sameMeaning = (word: string): readonly string[] => SAME_MEANING.get(word) ?? [];

/** The common beginning of the forms of an English word. */
function stem(word: string): string {
  if (word.length <= 3) return word;
  const one = singular(word);
  const plain = one.length >= 6 ? one.replace(/(?:ing|ed)$/, "").replace(/scription$/, "scrib") : one;
  const single = plain.replace(/([^aeiouls])\1$/, "$1");
  return single.length >= 4 ? single.replace(/e$/, "") : single;
}

function singular(word: string): string {
  if (word.endsWith("ies")) return `${word.slice(0, -3)}y`;
  if (/(?:s|x|ch|sh)es$/.test(word)) return word.slice(0, -2);
  return /[^su]s$/.test(word) ? word.slice(0, -1) : word;
}

const MANY: ReadonlySet<string> = new Set(["all", "every", "which", "what", "who"]);

const STOP_WORDS: ReadonlySet<string> = new Set(
  "a an the of to in on for from with by and or as at is are be it its this that which who what when where how i me my we our you your they their do does did can could would will want need please should some any all into about has have had there".split(
    " ",
  ),
);

/** Words between the two of a phrase: "pay a customer back". */
const PHRASE_GAP = 3;

/** Two words that mean something else together. */
const PHRASES: readonly [first: string, second: string, meaning: string][] = [
  ["pay", "back", "refund"],
  ["give", "back", "refund"],
  ["money", "back", "refund"],
  ["send", "money", "transfer"],
  ["wire", "money", "transfer"],
  ["back", "up", "backup"],
  ["set", "up", "create"],
  ["sign", "up", "create"],
  ["write", "down", "note"],
  ["put", "in", "create"],
  ["look", "up", "get"],
  ["find", "out", "get"],
  ["how", "many", "get"],
  ["how", "much", "get"],
  ["get", "rid", "delete"],
  ["take", "away", "delete"],
  ["throw", "away", "delete"],
  ["call", "off", "cancel"],
  ["time", "off", "vacation"],
  ["days", "off", "vacation"],
  ["virtual", "machine", "server"],
  ["power", "cut", "outage"],
  ["power", "failure", "outage"],
];

/**
 * Words before the bar stand for one another. Words after the bar occur in queries only: they stand for those before
 * it, and not the other way round, because as names of tools they mean something else. An issue is no new thing, but
 * "issue a refund" makes one.
 */
const GROUPS = [
  // Actions.
  "create add new make open register insert | write schedule book reserve enrol enroll hire submit issue publish post upload grant invite report order draft start launch",
  "delete remove drop erase destroy | cancel stop terminate end revoke discard unsubscribe fire",
  "update change edit modify set rename | renew extend close reopen resolve assign adjust correct fix move replace raise lower",
  "get read show fetch retrieve view look describe | check open",
  "list all browse enumerate | show",
  "find search query lookup",
  "send deliver post notify mail message",
  "cancel abort stop terminate end",
  "start begin run launch trigger",
  "merge combine join",
  "permission access grant right | share",
  // Money.
  "pay charge payment | bill",
  "bill invoice",
  "refund reimburse repay",
  "transfer remittance | move",
  "discount coupon voucher promotion",
  "salary wage | pay",
  "price cost tariff rate fee",
  "loan credit",
  "supplier vendor",
  // People and their work.
  "customer client user person people contact",
  "employee staff worker colleague personnel",
  "company organization business firm",
  "applicant candidate",
  "student pupil learner",
  "teacher instructor",
  "attendee participant guest",
  "vacation holiday leave absence | off",
  "contract agreement",
  "party signatory",
  "lawsuit litigation | case",
  "meeting appointment event",
  "grade score | mark",
  "course lesson | class",
  // Things.
  "ticket issue bug",
  "picture image photo",
  "file document",
  "folder directory",
  "mail email",
  "version revision history",
  "comment remark note",
  "server machine instance host vm",
  "disk volume storage",
  "backup snapshot",
  "website site",
  "repository repo project",
  "parcel package",
  "shipment delivery consignment",
  "stock inventory",
  "trip journey itinerary",
  "outage failure downtime incident",
  "power electricity energy",
  "medicine medication prescription drug",
  "survey poll questionnaire",
  "ad ads advertisement advert",
];

const SAME_MEANING: ReadonlyMap<string, readonly string[]> = groupsOf(GROUPS);

function groupsOf(lines: readonly string[]): Map<string, string[]> {
  const all = new Map<string, string[]>();
  for (const line of lines) {
    const [mutual = [], only = []] = line.split(" | ").map((words) => words.split(" ").map(stem));
    for (const word of [...mutual, ...only]) {
      const others = mutual.filter((other) => other !== word);
      all.set(word, [...(all.get(word) ?? []), ...others]);
    }
  }
  return all;
}
