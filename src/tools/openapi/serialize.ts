import { isObject } from "../../core/base/is-object";
import type { Json } from "../../core/base/json";
import { ToolFailure } from "../errors";
import type { Parameter } from "./operation";

/** Values of parameters as a request carries them, by the styles of the OpenAPI specification. */

/** What stands for `{name}` in the path. */
export function pathText(parameter: Parameter, value: Json): string {
  const text = styled(parameter, value, encodeURIComponent);
  // An empty one, or dots, would make it the path of something else.
  if (text === "" || /^\.{1,2}$/.test(text))
    throw new ToolFailure(`invalid arguments: ${parameter.name} cannot be ${JSON.stringify(value)} in a path`, {
      code: "invalid_tool_args",
    });
  return text;
}

function styled(parameter: Parameter, value: Json, encode: (text: string) => string): string {
  const { name, style, explode } = parameter;
  const plain = (separator: string) => joined(parameter, value, separator, encode);
  switch (style) {
    case "label":
      return `.${plain(explode ? "." : ",")}`;
    case "matrix":
      return explode && typeof value === "object" && value !== null
        ? pairs(value, name)
            .map(([key, one]) => `;${encode(key)}=${encode(one)}`)
            .join("")
        : `;${encode(name)}=${plain(",")}`;
    default:
      return plain(",");
  }
}

/** Lists as their items; objects as `key,value` or, exploded, `key=value`. */
function joined(parameter: Parameter, value: Json, separator: string, encode: (text: string) => string): string {
  if (parameter.json) return encode(JSON.stringify(value));
  if (Array.isArray(value)) return value.map((item) => encode(textOf(item))).join(separator);
  if (!isObject(value)) return encode(textOf(value));
  const equals = parameter.explode ? "=" : separator;
  return Object.entries(value)
    .map(([key, item]) => `${encode(key)}${equals}${encode(textOf(item))}`)
    .join(separator);
}

export const headerText = (parameter: Parameter, value: Json): string => joined(parameter, value, ",", (text) => text);

const SEPARATORS: { [style: string]: string } = { form: ",", spaceDelimited: "%20", pipeDelimited: "%7C" };

/** `name=value` pairs, encoded: of a query, or of a form in the body. */
export function queryPairs(parameter: Parameter, value: Json): string[] {
  const { name, style, explode, json } = parameter;
  const pair = (key: string, text: string) => `${encodeURIComponent(key)}=${text}`;
  if (json || value === null || typeof value !== "object") {
    const text = json ? JSON.stringify(value) : textOf(value);
    return [pair(name, encodeURIComponent(text))];
  }
  if (style === "deepObject") return deep(name, value).map(([key, text]) => pair(key, encodeURIComponent(text)));
  if (explode) return pairs(value, name).map(([key, text]) => pair(key, encodeURIComponent(text)));
  // An empty list is no value: an empty text would be one.
  const text = joined(parameter, value, SEPARATORS[style] ?? ",", encodeURIComponent);
  return text === "" ? [] : [pair(name, text)];
}

/** Lists repeat the name, objects have their own. */
function pairs(value: Json[] | { [key: string]: Json }, name: string): [string, string][] {
  if (Array.isArray(value)) return value.map((item) => [name, textOf(item)]);
  return Object.entries(value).map(([key, item]) => [key, textOf(item)]);
}

/** `filter[from][day]=1` */
function deep(name: string, value: Json): [string, string][] {
  if (value === null || typeof value !== "object") return [[name, textOf(value)]];
  const entries = Array.isArray(value) ? value.map((item): [string, Json] => ["", item]) : Object.entries(value);
  return entries.flatMap(([key, item]) => deep(`${name}[${key}]`, item));
}

/** What nests where the style knows no nesting goes as JSON. */
function textOf(value: Json): string {
  if (value === null) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
