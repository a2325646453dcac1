import type { Command } from "commander";
import { durationMs } from "../../core/base/duration";
import { NavigatorError } from "../../core/base/navigator-error";
import { shellWord } from "../../node/shell-word";
import { CONFIG_OPTION, projectPlace } from "../session/project-people";
import type { CommandIo } from "../terminal/io";

/** Bearer tokens of persons and services, for MCP over HTTP (approvals reference, section 1). */
export function registerToken(program: Command, io: CommandIo): void {
  const token = program.command("token").description("bearer tokens of people and services, for navigator mcp --http");

  token
    .command("create <name>")
    .description("make a token and print it, once")
    .option("--service", "for a service of people.yaml; without it, for a person")
    .option("--expires <duration>", "when it stops to count, from now, e.g. 90d (default: never)")
    .option(...CONFIG_OPTION)
    .addHelpText("after", "\nExample:\n  $ navigator token create anna --expires 90d")
    .action(async (name: string, options: { service?: boolean; expires?: string }) => {
      const expires = endOf(options.expires);
      const [{ tokens, file }, { loadPeople }, { presentPersonIn }] = await Promise.all([
        tokensOf(io),
        import("../../node/identity/people-on-disk"),
        import("../../node/identity/edit-people"),
      ]);
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
      const { token: text, record } = tokens.create({ owner: name, kind, expires });
      const { sha256: _, ...shown } = record;
      io.result({ token: text, ...shown }, () =>
        [text, `Token ${record.id} of ${kind} "${name}". It is not shown again.`].join("\n"),
      );
    });

  token
    .command("list")
    .description("list the tokens of the project, without the tokens themselves")
    .option(...CONFIG_OPTION)
    .addHelpText("after", "\nExample:\n  $ navigator token list")
    .action(async () => {
      const [{ tokens }, { renderTable }] = await Promise.all([tokensOf(io), import("../terminal/render")]);
      const all = tokens.list().map(({ sha256: _, ...record }) => record);
      io.result({ tokens: all }, () =>
        all.length === 0
          ? "The project has no tokens."
          : renderTable(
              all.map(({ id, owner, kind, created, expires, revoked }) => [
                id,
                kind,
                owner,
                `created ${created}`,
                revoked !== undefined ? `revoked ${revoked}` : expires === undefined ? "" : `expires ${expires}`,
              ]),
            ),
      );
    });

  token
    .command("revoke <id>")
    .description("a token counts no more, from the next request on")
    .option(...CONFIG_OPTION)
    .addHelpText("after", "\nExample:\n  $ navigator token revoke 3f2a9c0d1b7e4a55")
    .action(async (id: string) => {
      const { tokens } = await tokensOf(io);
      const { sha256: _, ...record } = tokens.revoke(id);
      io.result(record, () => `Token ${id} of "${record.owner}" counts no more.`);
    });
}

async function tokensOf(io: CommandIo) {
  const [{ project, file }, { projectTokens }] = await Promise.all([
    projectPlace(io),
    import("../../node/identity/token-store"),
  ]);
  return { tokens: projectTokens(project), file };
}

function endOf(expires: string | undefined): string | undefined {
  if (expires === undefined) return undefined;
  const ms = durationMs(expires);
  if (ms === undefined || !Number.isFinite(ms) || ms <= 0)
    throw new NavigatorError("bad_usage", `--expires must be a time such as 90d, got "${expires}".`, {
      details: { path: "--expires" },
    });
  return new Date(Date.now() + ms).toISOString();
}
