import { z } from "zod";
import { COMMON_SETTINGS, NameList, TextMap } from "../source-settings";

const text = (expected: string) => z.string(expected).min(1, expected);

/**
 * One HTTP service and its OpenAPI document. `headers`, `auth` and `baseUrl` may name variables of the worker's
 * environment: `${NAME}`.
 */
export const OpenApiSettings = z.strictObject(
  {
    /** A file (JSON or YAML), from the project's folder, or a URL. */
    openapi: text("must be the path or the URL of an OpenAPI document"),
    /** Default: the document's own first server. */
    baseUrl: text("must be a URL").optional(),
    headers: TextMap.optional(),
    /** What the document's security schemes want: one text where it has one scheme, else by the scheme's name. */
    auth: z
      .union([text("must not be empty"), TextMap], "must be a text, or a map of security scheme to text")
      .optional(),
    /** The operationIds that are wanted (`get_orders_id` where there is none); all without it. */
    operations: NameList.optional(),
    ...COMMON_SETTINGS,
  },
  "must be a map with openapi",
);
export type OpenApiSettings = z.output<typeof OpenApiSettings>;
