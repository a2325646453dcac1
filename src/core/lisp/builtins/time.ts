import { abs, toNumber } from "../../base/intrinsics";
import { cutText } from "../../base/whole-characters";
import { searchSteps } from "../text/text-search";
import type { Description } from "../values/doc";
import { LAST_INSTANT } from "../values/encode";
import { Instant, LocalDate, type Value } from "../values/values";
import { invalidArgument } from "./builtin-errors";
import { instantOf, isoDate } from "./dates";
import { alias, family } from "./define";
import { isInteger } from "./numbers";
import { chargeSearch, indexOf, lastIndexOf } from "./strings";

const { plain } = family("time");

// Smaller numbers are seconds, larger ones milliseconds.
const SECONDS_BELOW = 1e12;

const newDate = plain(
  "java.util.Date.",
  [0, 1],
  ["(java.util.Date.)", "(java.util.Date. x)"],
  "A date-time: now, from seconds (below 10^12) or milliseconds since 1970, or from a text (ISO 8601, RFC 2822).",
  (args, ctx): Value => {
    if (args.length === 0) return new Instant(ctx.now());
    const [x] = args;
    if (isInteger(x)) {
      const n = toNumber(x);
      const ms = abs(n) < SECONDS_BELOW ? n * 1000 : n;
      if (abs(ms) > LAST_INSTANT) throw invalidArgument("java.util.Date.", `${n} is no date-time`);
      return new Instant(ms);
    }
    if (typeof x === "string") ctx.charge(8 + (x.length >> 5));
    const ms = typeof x === "string" ? instantOf(x.trim()) : undefined;
    if (ms === undefined)
      throw invalidArgument(
        "java.util.Date.",
        typeof x === "string" ? `invalid date '${cutText(x, 60)}'` : "an integer or a text is expected",
      );
    return new Instant(ms);
  },
);

const parseDate = plain(
  "LocalDate/parse",
  1,
  "(LocalDate/parse s)",
  "The date in a text of the form YYYY-MM-DD.",
  ([s]): Value => {
    const iso = typeof s === "string" ? isoDate(s) : undefined;
    if (iso === undefined)
      throw invalidArgument(
        "LocalDate/parse",
        typeof s === "string" ? `invalid date '${cutText(s, 60)}'` : "a text YYYY-MM-DD is expected",
      );
    return new LocalDate(iso);
  },
);

const position = (
  name: string,
  text: Description,
  max: number,
  find: (s: string, part: string, from: number) => number,
) =>
  plain(name, [2, max], [`(${name} s part)`, ...(max > 2 ? [`(${name} s part from)`] : [])], text, (args, ctx) => {
    const [s, part, from] = args;
    if (typeof s !== "string" || typeof part !== "string") throw invalidArgument(name, "two strings are expected");
    if (args.length === 3 && !isInteger(from)) throw invalidArgument(name, "the start must be an integer");
    chargeSearch(s, ctx);
    ctx.charge(searchSteps(s, part));
    return find(s, part, args.length === 3 ? toNumber(from) : 0);
  });

/** Interop forms and time (lisp reference, section 12). Time is the host's: the same on every replay. */
export const TIME = [
  newDate,
  plain(".getTime", 1, "(.getTime d)", "Milliseconds since 1970 of a date-time.", ([d]) => {
    if (!(d instanceof Instant))
      throw invalidArgument(".getTime", "a date-time is expected, as (java.util.Date. x) gives");
    return d.ms;
  }),
  plain("System/currentTimeMillis", 0, "(System/currentTimeMillis)", "Milliseconds since 1970, now.", (_, ctx) =>
    ctx.now(),
  ),
  parseDate,
  alias(parseDate, "java.time.LocalDate/parse"),
  position(".indexOf", "Position of the first occurrence, or -1.", 3, indexOf),
  position(".lastIndexOf", "Position of the last occurrence, or -1.", 2, (s, part) => lastIndexOf(s, part)),
];
