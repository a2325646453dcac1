import { z } from "zod";
import { COMMON_SETTINGS, NameList, TextMap } from "../source-settings";

const text = (expected: string) => z.string(expected).min(1, expected);
const LOCAL = ["args", "env", "cwd"] as const;

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
      /** The wanted tools by the server's names; all if not given. */
      tools: NameList.optional(),
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
    if (settings.command !== undefined && settings.headers !== undefined) wrong(["headers"], "needs url, not command");
  });
export type McpSettings = z.output<typeof McpSettings>;
