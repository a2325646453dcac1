import { durationMs } from "../../core/base/duration";
import { NavigatorError } from "../../core/base/navigator-error";
import { presentPersonIn } from "../../node/identity/edit-people";
import { loadPeople } from "../../node/identity/people-on-disk";
import { DEFAULT_SCOPES, SCOPE_NAMES, type Scope } from "../../node/identity/scopes";
import { projectTokens, type TokenRecord } from "../../node/identity/token-store";
import { shellWord } from "../../node/shell-word";
import { repeated } from "../input/arguments";
import { projectPlace } from "../session/project-people";
import { CONFIG_OPTION, type TopCommands } from "../terminal/command";

import { badUsage } from "../terminal/exit";
import type { CommandIo } from "../terminal/io";
import { renderTable } from "../terminal/render";

/** Bearer tokens of persons and services, for MCP over HTTP (approvals reference, section 1). */
export const tokenCommands: TopCommands = {
  token: {
    commands: [
      {
        name: "create <name>",
        about: "make a token and print it, once",
        options: [
          ["--service", "for a service of people.yaml; without it, for a person"],
          [
            "--scope <scope>",
            `what its sender may do: ${SCOPE_NAMES.join(", ")}; may be repeated (default: metrics for a service, all for a person)`,
            repeated,
          ],
          ["--expires <duration>", "when it stops to count, from now, e.g. 90d (default: never)"],
          CONFIG_OPTION,
        ],
        examples: [
          "navigator token create anna --expires 90d",
          "navigator token create prometheus --service --scope metrics",
        ],
        run: async (
          io: CommandIo,
          name: string,
          options: { service?: boolean; expires?: string; scope?: string[] },
        ) => {
          const scopes = scopesIn(options.scope);
          const expires = endOf(options.expires);
          const { tokens, file } = await tokensOf(io);
          const found = loadPeople(file);
          const { people, services } = found;
          const kind = options.service ? "service" : "person";
          const known = Object.keys(options.service ? services : people);
          if (!known.includes(name))
            throw new NavigatorError("not_found", `${file} has no ${kind} "${name}".`, {
              hint: `There are: ${known.join(", ") || "none"}. Add one: navigator people ${options.service ? "service" : "add"} ${shellWord(name)}`,
              details: { path: name, kind: "person" },
            });
          if (kind === "person") presentPersonIn(found, name);
          const { token: text, record } = tokens.create({ owner: name, kind, expires, scopes });
          const { sha256: _, ...shown } = record;
          io.result({ token: text, ...shown }, () =>
            [text, `Token ${record.id} of ${kind} "${name}", for: ${scopesText(record)}. It is not shown again.`].join(
              "\n",
            ),
          );
        },
      },
      {
        name: "list",
        about: "list the tokens of the project, without the tokens themselves",
        options: [CONFIG_OPTION],
        examples: ["navigator token list"],
        run: async (io: CommandIo) => {
          const { tokens } = await tokensOf(io);
          const all = tokens.list().map(({ sha256: _, ...record }) => record);
          io.result({ tokens: all }, () =>
            all.length === 0
              ? "The project has no tokens."
              : renderTable(
                  all.map(({ id, owner, kind, created, expires, revoked, scopes }) => [
                    id,
                    kind,
                    owner,
                    scopesText({ kind, scopes }),
                    `created ${created}`,
                    revoked !== undefined ? `revoked ${revoked}` : expires === undefined ? "" : `expires ${expires}`,
                  ]),
                ),
          );
        },
      },
      {
        name: "revoke <id>",
        about: "a token counts no more, from the next request on",
        options: [CONFIG_OPTION],
        examples: ["navigator token revoke 3f2a9c0d1b7e4a55"],
        run: async (io: CommandIo, id: string) => {
          const { tokens } = await tokensOf(io);
          const { sha256: _, ...record } = tokens.revoke(id);
          io.result(record, () => `Token ${id} of "${record.owner}" counts no more.`);
        },
      },
    ],
  },
};

async function tokensOf(io: CommandIo) {
  const { project, file } = await projectPlace(io);
  return { tokens: projectTokens(project), file };
}

function scopesIn(given: readonly string[] | undefined): Scope[] | undefined {
  const unknown = given?.find((word) => !(SCOPE_NAMES as readonly string[]).includes(word));
  if (unknown !== undefined)
    throw badUsage("--scope", `--scope must be one of ${SCOPE_NAMES.join(", ")}, got "${unknown}".`);
  return given === undefined ? undefined : SCOPE_NAMES.filter((scope) => given.includes(scope));
}

const scopesText = ({ kind, scopes }: Pick<TokenRecord, "kind" | "scopes">): string =>
  (scopes ?? (kind === "service" ? DEFAULT_SCOPES : ["everything"])).join(", ");

function endOf(expires: string | undefined): string | undefined {
  if (expires === undefined) return undefined;
  const ms = durationMs(expires);
  if (ms === undefined || !Number.isFinite(ms) || ms <= 0)
    throw badUsage("--expires", `--expires must be a time such as 90d, got "${expires}".`);
  return new Date(Date.now() + ms).toISOString();
}
