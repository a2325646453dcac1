import { proxyTrust } from "../../node/http/client-address";
import { createLogger } from "../../node/log";
import { loadConfig } from "../../node/settings";
import { loadProject } from "../../project/load";
import { allowedHosts, loginNote, portOf, refuseStrangers, serverCredentials } from "../session/http-credentials";
import { processTelemetry } from "../session/process-telemetry";
import { onFreePort, openMissionControl } from "../session/web-session";
import { CONFIG_OPTION, type TopCommands } from "../terminal/command";

import { badUsage, EXIT } from "../terminal/exit";
import type { CommandIo } from "../terminal/io";
import { signalled } from "../terminal/until-signal";

interface WebOptions {
  config?: string;
  port?: string;
  host: string;
  service: string;
  publicUrl?: string;
  temporalUi?: string;
  allowHost: string[];
  trustProxy: string[];
}

import { repeated } from "../input/arguments";
/** `navigator web`: Mission Control on its own, for a deployment. `navigator dev` has it inside. */
export const webCommands: TopCommands = {
  web: {
    options: [
      CONFIG_OPTION,
      ["--port <number>", "port; 0 takes any free port (default: 7400, or a free one if that is taken)"],
      ["--host <address>", "address to listen on", "127.0.0.1"],
      [
        "--public-url <url>",
        "the address by which people reach it, if a proxy with TLS stands before it: https://missions.example.com",
      ],
      [
        "--service <name>",
        "the service of people.yaml whose key signs the decisions of people who log in with a token or the issuer",
        "mcp",
      ],
      ["--temporal-ui <url>", "the address of the Temporal Web UI, for links"],
      ["--allow-host <name>", "another host name that clients may use; may be repeated", repeated, []],
      [
        "--trust-proxy <address>",
        "a proxy whose X-Forwarded-For names the client, as 10.0.0.7 or 10.0.0.0/8; may be repeated (default: none)",
        repeated,
        [],
      ],
    ],
    notes: `Each visitor logs in: with the link of the first start, which stands for the user of this machine, with a personal token
(navigator token create NAME), or with the project's OIDC issuer. Needs a Temporal server, and a worker for every action.`,
    examples: ["navigator web --host 0.0.0.0 --public-url https://missions.example.com"],
    run: async (io: CommandIo, options: WebOptions) => {
      const { control, close } = await open(options);
      io.event(
        { event: "web_ready", url: control.url, link: control.link, pid: process.pid },
        () => `Mission Control: ${control.link}${loginNote(control.tokenFile)}\nCtrl-C stops it.`,
      );
      await signalled();
      await control.close();
      await close();
      process.exitCode = EXIT.done;
    },
  },
};

async function open({ config: file, host, port, publicUrl, service, temporalUi, allowHost, trustProxy }: WebOptions) {
  const address = publicUrl === undefined ? null : httpAddress("--public-url", publicUrl);
  const ui = temporalUi === undefined ? null : httpAddress("--temporal-ui", temporalUi).href.replace(/\/$/, "");
  const proxies = proxyTrust(trustProxy);
  if ("wrong" in proxies)
    throw badUsage("--trust-proxy", `--trust-proxy must be an address or a network, got "${proxies.wrong}".`);
  const config = loadConfig();
  const log = createLogger(config.logLevel);
  const project = await loadProject(file ?? process.cwd(), { log });
  try {
    const credentials = await serverCredentials(project, null);
    refuseStrangers(host, credentials, {
      need: "people must be able to log in",
      hint: "Make tokens with navigator token create NAME, name an issuer (oidc) in navigator.config, or listen on 127.0.0.1.",
      path: "oidc",
    });
    await project.openTools();
    const running = await processTelemetry(project.telemetry, log);
    const hosts = [...allowedHosts(host, allowHost), ...(address === null ? [] : [address.hostname])];
    const named = port === undefined ? undefined : portOf(port, "--port");
    const control = await onFreePort(named, (free) =>
      openMissionControl(
        { config, project, log },
        {
          ...credentials,
          host,
          port: free,
          hosts,
          origins: address === null ? [] : [address.origin],
          anonymous: false,
          service,
          isSecure: address?.protocol === "https:",
          publicUrl: address?.origin ?? null,
          temporalUi: ui,
          proxies,
        },
      ),
    );
    return { control, close: () => Promise.all([project.close(), running.stop()]) };
  } catch (error) {
    await project.close();
    throw error;
  }
}

function httpAddress(option: string, text: string): URL {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return new URL(text);
  throw badUsage(option, `${option} must be an http(s) address, got "${text}".`);
}
