import type { Command } from "commander";
import type { ToolRegistry } from "../../tools";
import type { CommandIo } from "../terminal/io";
import { type Colors, renderTable } from "../terminal/render";

/** `navigator tools`: what the agents of a project may call. */
export function registerTools(program: Command, io: CommandIo): void {
  program
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
