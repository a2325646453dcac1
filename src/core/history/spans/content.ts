import type { Json } from "../../base/json";
import { shortened } from "../../base/whole-characters";

/** What of the content of missions goes into spans: nothing, unless somebody asks for it. */
export interface ContentOptions {
  /** Arguments, answers, texts of models and of errors, ids and reasons that programs chose. */
  content: boolean;
}

/** The value of an attribute with content, in characters: backends cut long ones, or refuse the span. */
const MAX_CONTENT_CHARS = 8_000;

/** A text as content. */
export const contentText = (text: string): string => shortened(text, MAX_CONTENT_CHARS);

/** A value as content. */
export const contentJson = (value: Json): string => contentText(JSON.stringify(value));
