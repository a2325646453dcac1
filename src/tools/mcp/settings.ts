import { z } from "zod";
import { isSafeAddress } from "../../node/safe-address";
import { COMMON_SETTINGS, NameList, TextMap } from "../source-settings";

const text = (expected: string) => z.string(expected).min(1, expected);
const LOCAL = ["args", "env", "cwd"] as const;

/** A secret stands in the environment, never in the settings. */
const Reference = text("must be a text").regex(
  /^\$\{[A-Za-z_][A-Za-z0-9_]*\}$/,
  "must name a variable of the environment, in $ and braces: the secret stays out of the settings",
);

/**
 * OAuth 2.1 for a server over HTTP. `true` or `authorization_code`: a person logs in with `navigator tools login
 * SOURCE`, and workers use and refresh the tokens that it keeps. `client_credentials`: workers log in with their own id
 * and secret.
 */
const OAuthSettings = z.preprocess(
  (given) => (given === true ? {} : given),
  z
    .strictObject(
      {
        grant: z
          .enum(["authorization_code", "client_credentials"], "must be authorization_code or client_credentials")
          .default("authorization_code"),
        scope: text("must be scopes, separated by spaces").optional(),
        /** Of a client that is registered there. Without one, a login registers one. */
        client_id: text("must be a text, or name a variable of the environment").optional(),
        client_secret: Reference.optional(),
        /** The only authorization server that is used; by default the one that the MCP server names. */
        issuer: z
          .string("must be the address of the authorization server")
          .refine(isSafeAddress, "must be the https address of the authorization server")
          .optional(),
      },
      "must be true, or a map of grant, scope, client_id, client_secret, issuer",
    )
    .superRefine(({ grant, client_id, client_secret, issuer }, context) => {
      const wrong = (name: string, message: string) => void context.addIssue({ code: "custom", path: [name], message });
      if (grant === "client_credentials" && client_id === undefined) wrong("client_id", "client_credentials needs it");
      if (grant === "client_credentials" && client_secret === undefined)
        wrong("client_secret", "client_credentials needs it");
      if (client_secret !== undefined && client_id === undefined)
        wrong("client_id", "must be there with client_secret");
      // Otherwise the MCP server names who gets the secret.
      if (client_secret !== undefined && issuer === undefined)
        wrong("issuer", "must be there with client_secret: the address of the authorization server that may get it");
    }),
);

/**
 * One MCP server: a command that is started and used over stdin and stdout, or the URL of a running one (Streamable
 * HTTP). `env`, `args`, `headers` and `url` may name variables of the worker's environment: `${NAME}`.
 */
export const McpSettings = z
  .strictObject(
    {
      command: text("must be the program to start").optional(),
      args: z.array(z.string("must be a text"), "must be a list of texts").optional(),
      /** Besides HOME, PATH and similar variables: a server gets nothing else of the worker's environment. */
      env: TextMap.optional(),
      /** Default: the project's folder. */
      cwd: text("must be a folder").optional(),
      url: text("must be a URL").optional(),
      headers: TextMap.optional(),
      /** How the server is logged in to; absent: by `headers`, or not at all. */
      oauth: OAuthSettings.optional(),
      /** The wanted tools by the server's names; all if not given. */
      tools: NameList.optional(),
      /** Tools that list and read its resources. */
      resources: z.boolean("must be true or false").optional(),
      ...COMMON_SETTINGS,
    },
    "must be a map with command or url",
  )
  .superRefine((settings, context) => {
    const wrong = (path: string[], message: string) => void context.addIssue({ code: "custom", path, message });
    if ((settings.command === undefined) === (settings.url === undefined))
      wrong([], "give either command (a server to start) or url (one that is up)");
    for (const name of LOCAL)
      if (settings.url !== undefined && settings[name] !== undefined) wrong([name], "needs command, not url");
    for (const name of ["headers", "oauth"] as const)
      if (settings.command !== undefined && settings[name] !== undefined) wrong([name], "needs url, not command");
    const own = Object.keys(settings.headers ?? {}).find((name) => name.toLowerCase() === "authorization");
    if (settings.oauth !== undefined && own !== undefined)
      wrong(["headers", own], "is set by oauth: leave one of them out");
  });
export type McpSettings = z.output<typeof McpSettings>;
