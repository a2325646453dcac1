import type { Command } from "commander";
import { NavigatorError } from "../../core/base/navigator-error";
import type { ToolRegistry, ToolSource } from "../../tools";
import type { CommandIo } from "../terminal/io";
import { type Colors, renderTable } from "../terminal/render";

/** `navigator tools`: what the agents of a project may call. */
export function registerTools(program: Command, io: CommandIo): void {
  const tools = program
    .command("tools")
    .description(
      "list the project's tools from code, MCP servers and OpenAPI documents; starts the servers that they need",
    )
    .option("--config <file>", "the project's navigator.config file (default: searched in this folder)")
    .addHelpText("after", "\nExample:\n  $ navigator tools --config examples/order")
    .action(async (options: { config?: string }) => {
      const [{ loadConfig }, { loadProject }, { createLogger }] = await Promise.all([
        import("../../node/settings"),
        import("../../project/load"),
        import("../../node/log"),
      ]);
      const log = createLogger(loadConfig().logLevel);
      const project = await loadProject(options.config ?? process.cwd(), { log });
      try {
        const left_out = (await project.openTools()).map(({ source, name, reason }) => ({
          from: source,
          name,
          reason,
        }));
        const tools = rowsOf(project.tools);
        const advice = project.advice();
        io.result({ tools, left_out, advice }, () => text(tools, io.color));
        if (io.json) return;
        for (const { from, name, reason } of left_out) io.err(`${from}: ${name} is left out: ${reason}`);
        for (const { tool, agent, message } of advice)
          io.err(`${tool}${agent === undefined ? "" : ` of agent ${agent}`}: ${message}`);
      } finally {
        await project.close();
      }
    });

  tools
    .command("login <source>")
    .description(
      "log in to an MCP server that wants it (`oauth` in its settings); the workers of this user use the login",
    )
    .option("--port <n>", "the port of 127.0.0.1 to which the browser comes back (default: any)", (text) =>
      Number(text),
    )
    .option("--config <file>", "the project's navigator.config file (default: searched in this folder)")
    .addHelpText("after", "\nExample:\n  $ navigator tools login github")
    .action(async (source: string, options: { port?: number }, command: Command) => {
      const { port = 0 } = options;
      if (!Number.isInteger(port) || port < 0 || port > 65_535)
        throw new NavigatorError("invalid_arguments", `--port: ${port} is no port: a number from 0 to 65535.`);
      const one = await sourceNamed(source, command);
      await one.logIn({
        port,
        show: (address) => io.err(`Open this address in a browser of this machine:\n${address}`),
      });
      io.result({ source, logged_in: true }, () => `Logged in to ${source}. Workers of this user use the login.`);
    });

  tools
    .command("logout <source>")
    .description("forget the login to an MCP server")
    .option("--config <file>", "the project's navigator.config file (default: searched in this folder)")
    .addHelpText("after", "\nExample:\n  $ navigator tools logout github")
    .action(async (source: string, _options: object, command: Command) => {
      const was = await (await sourceNamed(source, command)).logOut();
      io.result({ source, was_logged_in: was }, () =>
        was ? `The login to ${source} is forgotten on this machine.` : `Nobody was logged in to ${source}.`,
      );
    });
}

/** An MCP server of the project, which is not started. @throws NavigatorError `source_not_found` */
async function sourceNamed(name: string, command: Command): Promise<Required<Pick<ToolSource, "logIn" | "logOut">>> {
  const { loadProject } = await import("../../project/load");
  const { config } = command.optsWithGlobals<{ config?: string }>();
  const { sources } = await loadProject(config ?? process.cwd());
  const all = sources.filter((source) => source.logIn !== undefined);
  const found = all.find((source) => [name, `mcp ${name}`].includes(source.name));
  if (found?.logIn && found.logOut) return { logIn: found.logIn.bind(found), logOut: found.logOut.bind(found) };
  const names = all.map((source) => source.name.replace(/^mcp /, ""));
  throw new NavigatorError(
    "source_not_found",
    `There is no MCP server "${name}". There are: ${names.join(", ") || "none"}.`,
  );
}

const rowsOf = (tools: ToolRegistry) =>
  tools.specs().map((spec) => ({ ...spec, from: tools.from(spec.name) as string }));

function text(tools: ReturnType<typeof rowsOf>, color: Colors): string {
  if (tools.length === 0) return "The project has no tools.";
  const header = ["name", "effect", "from", "signature"].map(color.dim);
  return renderTable(
    tools.map((tool) => [color.bold(tool.name), tool.effect, tool.from, tool.signature ?? "(anything)"]),
    header,
  );
}
