import type { Json } from "../../core/base/json";
import type { Attributes, PlainSpan } from "../../core/history/spans/plain-span";
import { knownSecrets } from "../secrets/known-secrets";

/** Spans leave the process, live and in an export: no secret that it knows goes with them, whatever the setting for content is. */

/** The attributes of a span without the values of secrets. */
export const maskedAttributes = (attributes: Attributes): Attributes =>
  knownSecrets.maskJson(attributes as Json) as Attributes;

/** The text of an error without the values of secrets. */
export const maskedText = (text: string): string => knownSecrets.mask(text);

/** The span without the values of secrets. */
export function maskedSpan(span: PlainSpan): PlainSpan {
  const { name, attributes, error } = span;
  return {
    ...span,
    name: maskedText(name),
    attributes: maskedAttributes(attributes),
    ...(error === undefined
      ? {}
      : { error: error.message === undefined ? error : { ...error, message: maskedText(error.message) } }),
  };
}
