import { randomUUID } from "node:crypto";
import { Client, type Connection } from "@temporalio/client";
import { NavigatorClient } from "../../../src/client/client";
import { TaskService } from "../../../src/client/tasks/task-service";
import { defined } from "../../../src/core/base/defined";
import { hasPeople, NO_PEOPLE, type PeopleFile } from "../../../src/core/review/people/people-file";
import { newPrivateKey, type PrivateKey } from "../../../src/node/identity/keys";
import { oidcVerifier } from "../../../src/node/identity/oidc";
import { SCOPE_NAMES, type Scope } from "../../../src/node/identity/scopes";
import { callerSigner, type NoSigner, ownSigner, type Signer } from "../../../src/node/identity/signer";
import { createLogger } from "../../../src/node/log";
import { FileStreamStore } from "../../../src/node/streams/file-store";
import type { StreamStore } from "../../../src/node/streams/stream-store";
import type { Project } from "../../../src/project/load";
import { ownWorkflows } from "../../../src/server/backend/own-workflows";
import type { WebCaller, WebContext } from "../../../src/web/context/context";
import { pageFolder } from "../../../src/web/page-folder";
import { type Patience, serveWeb, type WebServer } from "../../../src/web/server";
import { temporaryFolder } from "../environment";
import type { Answer } from "../mcp/client";
import { newNamespace } from "../namespace";
import { openRig, type Rig } from "../rig";

/** The service whose key signs for people whom the server has authenticated, in people files of tests: `may: ["vouch"]`. */
export const WEB_SERVICE = "mcp";

/** A whole Mission Control: a worker, and a web server with the page, in a namespace of their own. */
export interface MissionControl extends Rig {
  namespace: string;
  /** `http://127.0.0.1:PORT`; the same after `restartWeb`. */
  url: string;
  /** Of the user of this machine. */
  token: string;
  /** Where a browser begins: it logs the user of this machine in, or somebody else by their token. */
  link(place?: string, token?: string): string;
  /** The token of a person of the project: `person(NAME)`. */
  person(name: string): string;
  /** The token of a service. Default: with all scopes. */
  service(name: string, scopes?: readonly Scope[]): string;
  context: WebContext;
  streams: StreamStore;
  /** A request to the API as the user of this machine, or with another token; the answer as it is. */
  fetch(path: string, init?: RequestInit & { token?: string | null }): Promise<Response>;
  /** The body of an answer that must be a success. */
  get<T = Answer>(path: string, token?: string): Promise<T>;
  post<T = Answer>(path: string, body?: unknown, token?: string): Promise<T>;
  /** The problem of an answer that must be refused. */
  refused(path: string, init?: RequestInit & { token?: string | null }): Promise<Answer>;
  stopWeb(): Promise<void>;
  startWeb(): Promise<void>;
}

export type MissionControlOptions = Omit<Parameters<typeof openRig>[0], "people"> & {
  project?: Partial<Project>;
  people?: () => PeopleFile;
  /** Who is logged in on this machine, with their own key. */
  local?: Signer;
  /** Of the service that signs for people with a token. */
  serviceKey?: PrivateKey;
  /** Default: so many that no test reaches them. */
  rateLimit?: { perSecond: number; burst: number };
  /** How long a client may take to send a request. */
  patience?: Patience;
  /** Default: the page is built. */
  page?: false;
  streams?: StreamStore;
};

export async function openMissionControl(options: MissionControlOptions = {}): Promise<MissionControl> {
  const { project = {}, people = () => NO_PEOPLE, local, serviceKey, page, ...given } = options;
  const namespace = given.namespace ?? (await newNamespace());
  const home = temporaryFolder("web");
  const streams = options.streams ?? new FileStreamStore(`${home.path}/streams`);
  const rig = await openRig({
    ...given,
    streams,
    namespace,
    ...(hasPeople(people()) ? { people } : {}),
  });
  const agents = project.agents ?? {};
  const whole = {
    folder: home.path,
    agents,
    definitions: null,
    name: rig.client.project,
    tools: rig.tools,
    ...project,
  };
  const { temporal, project: name } = rig.client;
  // As servers have it: what is of another project is not there.
  const client = new NavigatorClient(
    new Client({
      connection: ownWorkflows(temporal.connection as Connection, name),
      namespace,
      ...defined({ dataConverter: given.dataConverter }),
    }),
    { project: name, taskQueue: rig.taskQueue },
  );
  const taskService = new TaskService(client, { agents, model: "scripted" });
  const signerOf = ({ isLocal, person }: WebCaller): Signer | NoSigner => {
    if (isLocal) return ownSigner(people(), local ?? null);
    return callerSigner(people(), person, WEB_SERVICE, () => serviceKey ?? newPrivateKey());
  };
  const context: WebContext = {
    backend: async () => ({ taskService, client, unreachable: async () => null }),
    project: whole as Project,
    model: "scripted",
    streams,
    people,
    signerOf,
    log: createLogger("error"),
    version: "0.0.0-test",
    temporalUi: process.env.NAVIGATOR_TEST_UI ?? null,
    pageFolder: page === false ? null : pageFolder(),
  };
  const token = `local-${randomUUID()}`;
  let server: WebServer | undefined;
  let port = 0;
  const startWeb = async () => {
    server = await serveWeb(context, {
      host: "127.0.0.1",
      port,
      hosts: ["127.0.0.1", "localhost"],
      origins: [],
      token: null,
      anonymous: false,
      findToken: (text) => {
        const [, kind, owner, scopes] = /^(person|service)-([^+]+)(?:\+(.*))?$/.exec(text) ?? [];
        if (owner === undefined) return null;
        return { owner, kind: kind as "person" | "service", ...defined({ scopes: scopes?.split(",") as Scope[] }) };
      },
      home: home.path,
      localToken: token,
      oidc: project.oidc && oidcVerifier(project.oidc),
      rateLimit: options.rateLimit ?? { perSecond: 10_000, burst: 10_000 },
      strangerLimit: options.rateLimit ?? { perSecond: 10_000, burst: 10_000 },
      isSecure: false,
      ...defined({ patience: options.patience }),
    });
    port = Number(new URL(server.url).port);
  };
  const stopWeb = async () => {
    await server?.close();
    server = undefined;
  };
  await startWeb().catch(async (error) => {
    await rig.stop();
    throw error;
  });
  const url = `http://127.0.0.1:${port}`;
  const request: MissionControl["fetch"] = (path, { token: other = token, headers, ...init } = {}) =>
    fetch(`${url}${path}`, {
      ...init,
      headers: {
        ...(other === null ? {} : { authorization: `Bearer ${other}` }),
        ...(init.body === undefined ? {} : { "content-type": "application/json" }),
        ...(headers as { [name: string]: string } | undefined),
      },
    });
  const success = async (response: Response) => {
    const text = await response.text();
    if (!response.ok) throw new Error(`${response.status} ${response.url}: ${text}`);
    return text === "" ? undefined : JSON.parse(text);
  };
  return {
    ...rig,
    namespace,
    url,
    token,
    context,
    streams,
    link: (place = "/", other = token) => `${url}/login?to=${encodeURIComponent(place)}#token=${other}`,
    person: (name) => `person-${name}`,
    service: (name, scopes = SCOPE_NAMES) => `service-${name}+${scopes.join(",")}`,
    fetch: request,
    get: async (path, other) => success(await request(path, other === undefined ? {} : { token: other })),
    post: async (path, body = {}, other) =>
      success(
        await request(path, {
          method: "POST",
          body: JSON.stringify(body),
          ...(other === undefined ? {} : { token: other }),
        }),
      ),
    refused: async (path, init) => {
      const response = await request(path, init);
      expect(response.ok).toBe(false);
      expect(response.headers.get("content-type")).toContain("problem+json");
      return response.json();
    },
    startWeb,
    stopWeb,
    stop: async () => {
      await stopWeb();
      await rig.stop();
      await streams.close();
      home.remove();
    },
  };
}
