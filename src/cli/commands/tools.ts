import type { Command } from "commander";
import { NavigatorError } from "../../core/base/navigator-error";
import { createLogger } from "../../node/log";
import { loadConfig } from "../../node/settings";
import { loadProject, type Project } from "../../project/load";
import type { ToolRegistry, ToolSource } from "../../tools";
import { toolTypes } from "../../tools/write-tool-types";
import { CONFIG_OPTION, type TopCommands } from "../terminal/command";

import { badUsage } from "../terminal/exit";
import type { CommandIo } from "../terminal/io";
import { type Colors, renderTable } from "../terminal/render";
import { writeOutput } from "../terminal/write-output";

/** `navigator tools`: what the agents of a project may call. */
export const toolsCommands: TopCommands = {
  tools: {
    options: [CONFIG_OPTION],
    examples: ["navigator tools --config examples/order"],
    run: (io: CommandIo, options: { config?: string }) =>
      withOpenTools(options.config, (project, left_out) => {
        const tools = rowsOf(project.tools);
        const advice = project.advice();
        io.result({ tools, left_out, advice }, () => text(tools, io.color));
        if (io.json) return;
        reportLeftOut(left_out, io);
        for (const { tool, agent, message } of advice)
          io.err(`${tool}${agent === undefined ? "" : ` of agent ${agent}`}: ${message}`);
      }),
    commands: [
      {
        name: "types",
        about:
          "write TypeScript types of the arguments and results of tools from MCP servers and OpenAPI documents; starts the servers",
        options: [["--out <file>", "write them to this file; - prints them", "-"], CONFIG_OPTION],
        examples: ["navigator tools types --out src/tool-types.ts"],
        run: async (io: CommandIo, _options: object, command: Command) => {
          const { out, config } = command.optsWithGlobals<{ out: string; config?: string }>();
          await withOpenTools(config, (project, left_out) => {
            const from = new Set(project.sources.map((source) => source.name));
            const names = project.tools.names().filter((name) => from.has(project.tools.from(name) ?? ""));
            const types = toolTypes(names.flatMap((name) => project.tools.get(name) ?? []));
            if (!io.json) reportLeftOut(left_out, io);
            if (out === "-") return io.document(types);
            writeOutput(out, "types", types);
            io.result(
              { file: out, tools: names, left_out },
              () => `${out}: the types of ${names.join(", ") || "no tool"}.`,
            );
          });
        },
      },
      {
        name: "login <source>",
        about:
          "log in to an MCP server that wants it (`oauth` in its settings); the workers of this user use the login",
        options: [
          [
            "--port <n>",
            "the port of 127.0.0.1 to which the browser comes back (default: any)",
            (text) => Number(text),
          ],
          CONFIG_OPTION,
        ],
        examples: ["navigator tools login github"],
        run: async (io: CommandIo, source: string, options: { port?: number }, command: Command) => {
          const { port = 0 } = options;
          if (!Number.isInteger(port) || port < 0 || port > 65_535)
            throw badUsage("--port", `--port: ${port} is no port: a number from 0 to 65535.`);
          const one = await sourceNamed(source, command);
          await one.logIn({
            port,
            show: (address) => io.err(`Open this address in a browser of this machine:\n${address}`),
          });
          io.result({ source, logged_in: true }, () => `Logged in to ${source}. Workers of this user use the login.`);
        },
      },
      {
        name: "logout <source>",
        about: "forget the login to an MCP server",
        options: [CONFIG_OPTION],
        examples: ["navigator tools logout github"],
        run: async (io: CommandIo, source: string, _options: object, command: Command) => {
          const was = await (await sourceNamed(source, command)).logOut();
          io.result({ source, was_logged_in: was }, () =>
            was ? `The login to ${source} is forgotten on this machine.` : `Nobody was logged in to ${source}.`,
          );
        },
      },
    ],
  },
};

/** A part of a source that is no tool, and why. */
interface LeftOutRow {
  from: string;
  name: string;
  reason: string;
}

/** The project with all its tools, whose servers run until `use` is done. */
async function withOpenTools(
  config: string | undefined,
  use: (project: Project, left_out: LeftOutRow[]) => void,
): Promise<void> {
  const log = createLogger(loadConfig().logLevel);
  const project = await loadProject(config ?? process.cwd(), { log });
  try {
    const left_out = await project.openTools();
    use(
      project,
      left_out.map(({ source, name, reason }) => ({ from: source, name, reason })),
    );
  } finally {
    await project.close();
  }
}

function reportLeftOut(left_out: readonly LeftOutRow[], io: CommandIo): void {
  for (const { from, name, reason } of left_out) io.err(`${from}: ${name} is left out: ${reason}`);
}

/** An MCP server of the project, which is not started. @throws NavigatorError `not_found` */
async function sourceNamed(name: string, command: Command): Promise<Required<Pick<ToolSource, "logIn" | "logOut">>> {
  const { config } = command.optsWithGlobals<{ config?: string }>();
  const { sources } = await loadProject(config ?? process.cwd());
  const all = sources.filter((source) => source.logIn !== undefined);
  const found = all.find((source) => [name, `mcp ${name}`].includes(source.name));
  if (found?.logIn && found.logOut) return { logIn: found.logIn.bind(found), logOut: found.logOut.bind(found) };
  const names = all.map((source) => source.name.replace(/^mcp /, ""));
  throw new NavigatorError("not_found", `There is no MCP server "${name}". There are: ${names.join(", ") || "none"}.`, {
    details: { path: name, kind: "source" },
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
