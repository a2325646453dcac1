import { toNumber } from "../../base/intrinsics";
import { PMap, Vec } from "../values/collections";
import { Keyword, type Value } from "../values/values";
import { invalidArgument, typeError } from "./builtin-errors";
import { family } from "./define";
import { isInteger } from "./numbers";

const { plain } = family("tools");

const NAME = Keyword.of("name");
const SIGNATURE = Keyword.of("signature");
const DESCRIPTION = Keyword.of("description");

/** Bytes of a found tool besides its texts. */
const FOUND_BYTES = 160;

/** What a program asks about its tools (lisp reference, section 9.7). */
export const TOOL_FUNCTIONS = [
  plain(
    "tool-search",
    [1, 2],
    ['(tool-search "words")', '(tool-search "words" limit)'],
    "The tools that fit the words best, best first: maps of :name, :signature and :description.",
    ([words, limit], ctx): Value => {
      if (typeof words !== "string") throw typeError("tool-search", [words]);
      if (limit !== undefined && (!isInteger(limit) || limit < 1))
        throw invalidArgument("tool-search", "the limit is an integer of at least 1");
      const found = ctx.findTools(words, limit === undefined ? undefined : toNumber(limit));
      return Vec.from(
        found.map(({ name, signature, description }) => {
          ctx.allocate(FOUND_BYTES + 2 * (name.length + signature.length + description.length));
          return PMap.fromDistinct<Value>([
            [NAME, name],
            [SIGNATURE, signature],
            [DESCRIPTION, description],
          ]);
        }),
      );
    },
  ),
];
