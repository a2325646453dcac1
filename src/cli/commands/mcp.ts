import { NavigatorError } from "../../core/base/navigator-error";
import type { ServerContext } from "../../mcp/server";
import type { CredentialSettings } from "../../node/http/authenticate";
import type { GuardSettings } from "../../node/http/guard";
import type { Config } from "../../node/settings";
import type { Project } from "../../project/load";
import type { McpSessionOptions } from "../session/mcp-session";
import { CONFIG_OPTION, type TopCommands } from "../terminal/command";

import { EXIT } from "../terminal/exit";
import type { CommandIo } from "../terminal/io";
import { signalled } from "../terminal/until-signal";

interface McpOptions extends McpSessionOptions {
  http?: boolean;
  port: string;
  pagePort?: string;
  host: string;
  token?: string;
  allowHost: string[];
  allowOrigin: string[];
}

const BACKGROUND = `It needs nothing else. The first call finds or starts a Temporal server and a worker for the project, in the background. All
sessions of the project share them. They end ten minutes after the last session (NAVIGATOR_MCP_IDLE), unless a mission is
at work; the data is kept. Where a worker serves the project no second one is started. See them: navigator server status. End
them: navigator server stop

A server that is named (TEMPORAL_ADDRESS, a Temporal profile), or that somebody else has started, is used, and no worker is
started there: it may have other people's missions, and their calls would be made with the code of this folder and your keys.
Calls that need a worker answer no_worker then. --worker starts one there, too.`;

const MAY_DECIDE = `Whatever comes through a session is an agent's: it may list and show reviews, and not decide them. A person at the client
decides in its dialog, if that person is logged in (navigator login) or sends a personal token (navigator token).

--may decide lets the agents that use this server decide reviews and write decisions into journals as agents:
no person has looked. It does not apply where a review names people or a quorum, nor to calls of irreversible tools.`;

import { repeated } from "../input/arguments";
/** `navigator mcp`: everything but the two transports is in src/mcp. */
export const mcpCommands: TopCommands = {
  mcp: {
    options: [
      CONFIG_OPTION,
      ["--tools <set>", "which tools are listed: all, or core (one orchestrator's loop, for small contexts)", "all"],
      [
        "--primary-store <name>",
        "the store that your tasks come from: answers remind of moves that it has not confirmed (default: primaryStore of the configuration)",
      ],
      ["--no-embedded", "start no server and no worker in the background: for those who have their own (see below)"],
      [
        "--worker",
        "start a worker with the code of this folder also on a server that is not the project's own (or NAVIGATOR_MCP_WORKER=1; see below)",
      ],
      ["--http", "Streamable HTTP instead of stdio, at /mcp"],
      ["--port <number>", "HTTP: port; 0 takes any free port", "3333"],
      ["--page-port <number>", "HTTP: also serve Mission Control, at this port (alone: navigator web)"],
      ["--host <address>", "HTTP: address to listen on; every address but localhost needs a token", "127.0.0.1"],
      ["--token <text>", "HTTP: bearer token that clients must send (or NAVIGATOR_MCP_TOKEN, which ps does not show)"],
      [
        "--service <name>",
        "HTTP: the service of people.yaml whose key this server signs with, for people who send a personal token",
        "mcp",
      ],
      ["--may <what>", "what agents may do that is for people: decide (see below); may be repeated", repeated, []],
      ["--allow-host <name>", "HTTP: another host name that clients may use; may be repeated", repeated, []],
      ["--allow-origin <origin>", "HTTP: origin of web pages that may call it; may be repeated", repeated, []],
    ],
    notes: `${BACKGROUND}\n\n${MAY_DECIDE}`,
    examples: ["navigator mcp --http --port 3333", "claude mcp add navigator -- navigator mcp"],
    run: (io: CommandIo, options: McpOptions) => (options.http ? overHttp(io, options) : overStdio(options)),
  },
};

async function overStdio(options: McpOptions): Promise<void> {
  // This comes first: modules that are loaded later may write to stdout.
  const { ownStdout } = await import("../../mcp/transports/own-stdout");
  const stdout = ownStdout();
  const { openMcp } = await import("../session/mcp-session");
  const { parts, close, startEarly } = await openMcp(options, "stdio");
  const { serveStdio } = await import("../../mcp/transports/stdio");
  startEarly();
  await serveStdio(parts, stdout);
  await close();
  process.exitCode = EXIT.done;
}

async function overHttp(io: CommandIo, options: McpOptions): Promise<void> {
  const [{ isLoopback }, { allowedHosts, loginNote, portOf, refuseStrangers, serverCredentials }, { openMcp }] =
    await Promise.all([
      import("../../node/http/guard"),
      import("../session/http-credentials"),
      import("../session/mcp-session"),
    ]);
  const { host } = options;
  const { parts, close, project, config, startEarly } = await openMcp(options, "http");
  const credentials = await serverCredentials(project, options.token?.trim() || config.mcpToken);
  try {
    refuseStrangers(host, credentials, {
      need: "clients must send a token",
      hint: "Set NAVIGATOR_MCP_TOKEN (or --token) to a long random text, make tokens with navigator token create, or listen on 127.0.0.1.",
      path: "NAVIGATOR_MCP_TOKEN",
    });
  } catch (error) {
    await close();
    throw error;
  }
  const port = portOf(options.port, "--port");
  const { serveHttp } = await import("../../mcp/transports/http/server");
  const hosts = allowedHosts(host, options.allowHost);
  // Where other machines or an issuer are in play, nobody is let in without a token.
  const anonymous = credentials.token === null && project.oidc === undefined && isLoopback(host);
  const settings = { host, port, hosts, origins: options.allowOrigin, ...credentials, anonymous };
  const server = await serveHttp(parts, settings).catch((error: NodeJS.ErrnoException) => {
    throw portInUse(`${host}:${port}`, error);
  });
  const control = await missionControl(options, { parts, project, config }, settings);
  io.event(
    { event: "mcp_ready", url: server.url, pid: process.pid, ...(control && { page: control.link }) },
    () =>
      `${control ? `Mission Control: ${control.link}${loginNote(control.tokenFile)}\n` : ""}MCP server at ${server.url}. Ctrl-C stops it.`,
  );
  startEarly();
  await signalled();
  await Promise.all([server.close(), control?.close()]);
  await close();
  process.exitCode = EXIT.done;
}

const portInUse = (path: string, { message }: Error) =>
  new NavigatorError("port_in_use", `The server cannot listen on ${path}: ${message}.`, {
    hint: "Choose another: --port, --host",
    details: { path },
    exitCode: 2,
  });

/** Mission Control in the process of the MCP server, if it is wanted; undefined: it is not. */
async function missionControl(
  { pagePort, service }: McpOptions,
  { parts, project, config }: { parts: ServerContext; project: Project; config: Config },
  settings: CredentialSettings & GuardSettings & { host: string },
) {
  if (pagePort === undefined) return undefined;
  const [{ openMissionControl }, { portOf }] = await Promise.all([
    import("../session/web-session"),
    import("../session/http-credentials"),
  ]);
  const port = portOf(pagePort, "--page-port");
  const own = { port, anonymous: false, service, isSecure: false, publicUrl: null, temporalUi: null };
  return openMissionControl({ config, project, log: parts.log }, { ...settings, ...own });
}
