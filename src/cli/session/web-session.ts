import { existsSync } from "node:fs";
import path from "node:path";
import { NavigatorError } from "../../core/base/navigator-error";
import type { CredentialSettings } from "../../node/http/authenticate";
import type { ProxyTrust } from "../../node/http/client-address";
import type { GuardSettings } from "../../node/http/guard";
import { checkedName, loggedIn, serviceKey } from "../../node/identity/key-store";
import { peopleFileOf, readPeople } from "../../node/identity/people-on-disk";
import { callerSigner, ownSigner } from "../../node/identity/signer";
import type { Logger } from "../../node/log";
import { packageVersion } from "../../node/package-version";
import { keptSecret } from "../../node/private-files";
import type { Config } from "../../node/settings";
import { openStreams } from "../../node/streams/open-store";
import type { Project } from "../../project/load";
import { lazyBackend } from "../../server/backend/lazy-backend";
import { pageFolder } from "../../web/page-folder";
import { serveWeb, type WebServer } from "../../web/server";
import { modelOf } from "../input/model-name";
import { PAGE_PORT } from "./http-credentials";

/** Where Mission Control listens, and which callers it admits. */
export interface MissionControlOptions extends GuardSettings, CredentialSettings {
  host: string;
  /** 0: any free port. */
  port: number;
  /** The service of people.yaml whose key signs for people who send their own token. */
  service: string;
  /** It is reached over TLS. */
  isSecure: boolean;
  /** The origin by which people reach it; null: its own. */
  publicUrl: string | null;
  /** The address of the Temporal Web UI. */
  temporalUi: string | null;
  /** The proxies whose `X-Forwarded-For` counts. */
  proxies?: ProxyTrust;
}

export interface MissionControl extends WebServer {
  /** Opens the page. Once, when the token of the user of this machine is made, it has that token. */
  link: string;
  /** The file of the token; null: the link has it. */
  tokenFile: string | null;
}

/** So many requests of one caller: a page that is open sends one or two each second, and a view that is opened about ten. */
const RATE_LIMIT = { perSecond: 50, burst: 300 };
const STRANGER_LIMIT = { perSecond: 20, burst: 200 };

/**
 * Serves Mission Control for a project. It needs neither a server nor a worker to start: it looks for Temporal when it is asked.
 *
 * @throws NavigatorError `port_in_use`, `bad_project`, `service_unavailable`
 */
export async function openMissionControl(
  { config, project, log }: { config: Config; project: Project; log: Logger },
  options: MissionControlOptions,
): Promise<MissionControl> {
  const people = readPeople(peopleFileOf(project.folder));
  const service = checkedName(options.service);
  const model = modelOf({ config }, project.models, false);
  const streams = await openStreams(config, project.encoding);
  const { backend, close } = lazyBackend(config, { project, model, log });
  const tokenFile = path.join(config.home, "mission-control.token");
  const isNew = !existsSync(tokenFile);
  const localToken = keptSecret(config.home, "mission-control.token");
  const server = await serveWeb(
    {
      backend,
      project,
      model,
      streams,
      people,
      signerOf: ({ isLocal, person }) =>
        isLocal
          ? ownSigner(people(), loggedIn(project.name))
          : callerSigner(people(), person, service, () => serviceKey(service)),
      log,
      version: packageVersion(),
      temporalUi: options.temporalUi,
      pageFolder: pageFolder(),
    },
    {
      ...options,
      codecOrigins: uiOrigins(options.temporalUi, config),
      home: config.home,
      localToken,
      rateLimit: RATE_LIMIT,
      strangerLimit: STRANGER_LIMIT,
    },
  ).catch(async (error: unknown) => {
    await Promise.all([close(), streams.close()]);
    throw error;
  });
  return {
    url: server.url,
    // The token has no end. People at another address log in with their own, and logs keep what is printed.
    ...(isNew && options.publicUrl === null
      ? { link: `${server.url}/login#token=${localToken}`, tokenFile: null }
      : { link: `${options.publicUrl ?? server.url}/`, tokenFile }),
    close: async () => {
      await server.close();
      await Promise.all([close(), streams.close()]);
    },
  };
}

/** From where the Temporal Web UI asks: its address, else that of an embedded server's, as people may write it. */
const uiOrigins = (temporalUi: string | null, { port }: Config): string[] =>
  temporalUi === null
    ? ["127.0.0.1", "localhost"].map((host) => `http://${host}:${port + 1_000}`)
    : [new URL(temporalUi).origin];

/** On the port that was named; else on the usual one, or on any other if that is taken. */
export async function onFreePort<T>(
  named: number | undefined,
  open: (port: number) => Promise<T>,
  usual: number = PAGE_PORT,
): Promise<T> {
  try {
    return await open(named ?? usual);
  } catch (error) {
    if (named !== undefined || !(error instanceof NavigatorError) || error.code !== "port_in_use") throw error;
    return open(0);
  }
}
