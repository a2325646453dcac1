import { spawn } from "node:child_process";
import path from "node:path";
import { createInterface } from "node:readline";
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { type ElicitRequest, ElicitRequestSchema, type ElicitResult } from "@modelcontextprotocol/sdk/types.js";
import { stringify } from "yaml";
import { z } from "zod";
import type { PeopleFile } from "../../src/core/review/people/people-file";
import type { Decision } from "../../src/core/review/review";
import { identityOverHttp, identityOverStdio } from "../../src/mcp/context/identity";
import { type HttpServer, serveHttp } from "../../src/mcp/transports/http/server";
import { LOOPBACK_HOSTS } from "../../src/node/http/guard";
import { logIn, serviceKey } from "../../src/node/identity/key-store";
import { oidcVerifier } from "../../src/node/identity/oidc";
import { SCOPE_NAMES } from "../../src/node/identity/scopes";
import type { Signer } from "../../src/node/identity/signer";
import { projectTokens } from "../../src/node/identity/token-store";
import { verifyDecision } from "../../src/node/identity/verify-decision";
import { defineTool } from "../../src/tools";
import { openPlace, type Place } from "../support/cli";
import { temporaryFolder, testAddress } from "../support/environment";
import { connectClient, connectInMemory, type McpClient, type McpRig, openMcpRig } from "../support/mcp/client";
import { BUILT, ended } from "../support/mcp/process";
import { newNamespace } from "../support/namespace";
import { agent, fenced } from "../support/rig";
import { deepTest } from "../support/run/deep";
import { type Issuer, openIssuer } from "../support/servers/oidc-issuer";
import { newKey, peopleOf, publicKey } from "../support/test-keys";
import { until } from "../support/until";

/**
 * A project with people: whoever decides through MCP is a person whom the server has authenticated for exactly that call, or
 * it is no decision (approvals reference, section 1).
 */

const GRAPH = {
  nodes: {
    start: { type: "start" },
    free: { type: "gate", name: "Anybody" },
    named: { type: "gate", name: "Anna or finance", review: { assignees: ["anna", "group:finance"] } },
    done: { type: "end", result: "success" },
  },
  edges: [
    { from: "start", to: "free" },
    { from: "free", to: "named", on: "passed" },
    { from: "free", to: "done", on: "failed" },
    { from: "named", to: "done" },
  ],
};

const [anna, ben, mallory, service] = [newKey(), newKey(), newKey(), newKey()];
const PEOPLE = {
  people: {
    anna: { keys: [publicKey(anna)], oidc: "u-anna" },
    ben: { keys: [publicKey(ben)], oidc: "u-ben" },
    gone: { keys: [publicKey(mallory)], removed: "2026-01-02T00:00:00Z", oidc: "u-gone" },
  },
  groups: { finance: { members: ["ben"] } },
  services: { mcp: { keys: [publicKey(service)], may: ["vouch"] } },
};
let people: PeopleFile = peopleOf(PEOPLE);
afterEach(() => {
  people = peopleOf(PEOPLE);
});

/** A client whose person answers like this; `asked` has what it was shown. */
function person(answer: () => ElicitResult | Promise<ElicitResult>) {
  const asked: ElicitRequest["params"][] = [];
  const prepare = (client: Client) =>
    client.setRequestHandler(ElicitRequestSchema, (request) => {
      asked.push(request.params);
      return answer();
    });
  return { asked, prepare, options: { capabilities: { elicitation: { form: {} } } } };
}
const passes = () => person(() => ({ action: "accept", content: { decision: "passed", note: "seen", by: "ben" } }));

const charge = jest.fn(async (_: { cents: number }) => "tx_1");
const folder = temporaryFolder("mcp-verified");
let rig: McpRig;
let plain: McpClient;
beforeAll(async () => {
  const tool = defineTool({
    name: "charge",
    input: z.object({ cents: z.int() }),
    effect: "irreversible",
    approval: true,
    run: charge,
  });
  rig = await openMcpRig({
    people: () => people,
    tools: [tool],
    script: { payer: [fenced("(return (tool/charge {:cents 900}))")] },
    project: {
      folder: folder.path,
      agents: { payer: agent({ name: "payer", tools: [tool.spec] }) },
      definitions: null,
    },
  });
  plain = await connectInMemory(rig.parts);
  await plain.call("load_workflow", { id: "graph", definition: GRAPH });
});
afterAll(async () => {
  await plain.close();
  await rig.stop();
  folder.remove();
});

/** A task that waits at a gate, and the id of its review. */
async function waitsAt(step: "free" | "named", id: string): Promise<string> {
  await plain.call("load_task_tree", {
    tasks: [{ id, issueId: "I", workflowType: "graph", currentStep: step }],
    mode: "merge",
  });
  const found = await until(async () => (await plain.data("list_reviews", { taskId: id })).open[0], "it is asked");
  return found.review.id;
}
const reviewOf = async (reviewId: string) => (await plain.data("get_review", { reviewId })).review;
const verified = (decision: Decision) => verifyDecision(people, decision, Date.now());

describe("over stdio", () => {
  const connect = (signer: Signer | null, someone = passes()) =>
    connectInMemory(
      {
        ...rig.parts,
        identity: identityOverStdio(
          () => people,
          () => signer,
        ),
      },
      someone.options,
      someone.prepare,
    );

  test("the person who is logged in decides, with a signature of their own over what they saw", async () => {
    const reviewId = await waitsAt("named", "by-anna");
    const someone = passes();
    const mcp = await connect({ person: "anna", key: anna }, someone);
    const { answer, review } = await mcp.data("decide_review", { reviewId });
    expect({ answer, status: review.status }).toEqual({ answer: "accepted", status: "decided" });
    expect(review.seal).toEqual(expect.any(String));
    expect(review.decision).toMatchObject({ by: "anna", kind: "person", via: "mcp", note: "seen" });
    expect(review.decision.seal).toBe(review.seal);
    expect(someone.asked[0]?.message).toContain(`Seal: ${review.seal}`);
    expect(await verified(review.decision)).toMatchObject({
      principal: { id: "anna", kind: "person", verified: true, via: "mcp" },
      signed: { kid: anna.kid, by: "anna" },
    });
    expect(someone.asked).toMatchObject([
      { message: expect.stringMatching(/Anna or finance[\s\S]*You decide as anna/) },
    ]);
    expect(JSON.stringify(someone.asked)).not.toContain('"by"');
    await mcp.close();
  });

  test.each<[string, () => Signer | null, RegExp]>([
    ["nobody is logged in", () => null, /Nobody is logged in.*navigator login/],
    ["the key is not in people.yaml", () => ({ person: "anna", key: newKey() }), /people\.yaml does not have the key/],
    ["the key is somebody else's", () => ({ person: "anna", key: ben }), /people\.yaml does not have the key/],
    ["a stranger is logged in", () => ({ person: "mallory", key: mallory }), /"mallory".*does not have the key/],
    ["the person has left", () => ({ person: "gone", key: mallory }), /"gone".*does not have the key/],
  ])("if %s, the dialog is no decision and is not shown", async (_, signer, why) => {
    const reviewId = await waitsAt("free", `nobody-${_.replaceAll(/\W/g, "-")}`);
    const someone = passes();
    const mcp = await connect(signer(), someone);
    const answer = await mcp.data("decide_review", { reviewId });
    expect(answer).toMatchObject({ answer: "not_asked", hint: expect.stringMatching(why), review: { status: "open" } });
    expect(answer.hint).toContain(`navigator review decide ${reviewId}`);
    expect(someone.asked).toEqual([]);
    await mcp.close();
  });

  test("a person whom the review does not name is told so; a member of a group that it names is asked", async () => {
    const finance = await waitsAt("named", "by-finance");
    const stranger = { ...PEOPLE, people: { ...PEOPLE.people, cleo: { keys: [publicKey(mallory)] } } };
    const { gone: _, ...present } = stranger.people;
    people = peopleOf({ ...stranger, people: present });
    const cleo = await connect({ person: "cleo", key: mallory });
    const hint = expect.stringMatching(/"cleo" is at this client, and the review is for anna, group:finance/);
    expect(await cleo.data("decide_review", { reviewId: finance })).toMatchObject({ answer: "not_asked", hint });
    await cleo.close();
    expect((await reviewOf(finance)).status).toBe("open");
    const member = person(() => ({ action: "decline" }));
    const mcp = await connect({ person: "ben", key: ben }, member);
    expect(await mcp.data("decide_review", { reviewId: finance })).toMatchObject({ answer: "declined" });
    expect(member.asked).toMatchObject([{ message: expect.stringContaining("You decide as ben") }]);
    await mcp.close();
  });

  test("whoever loses the right while the dialog is open has not decided", async () => {
    const reviewId = await waitsAt("free", "revoked-meanwhile");
    const someone = person(() => {
      const { ben: keeps, anna: leaves } = PEOPLE.people;
      people = peopleOf({ ...PEOPLE, people: { ben: keeps, anna: { ...leaves, removed: "2026-01-02T00:00:00Z" } } });
      return { action: "accept", content: { decision: "passed" } };
    });
    const mcp = await connect({ person: "anna", key: anna }, someone);
    expect(await mcp.data("decide_review", { reviewId })).toMatchObject({
      answer: "not_asked",
      review: { status: "open" },
    });
    expect(someone.asked).toHaveLength(1);
    await mcp.close();
  });

  test("the agent behind the session decides nothing, whoever is logged in", async () => {
    const reviewId = await waitsAt("free", "agent-alone");
    const mcp = await connect({ person: "anna", key: anna });
    for (const by of ["anna", "ben", undefined]) {
      const { error } = await mcp.refused("decide_review", { reviewId, choice: "passed", by });
      expect(error.code).toBe("agents_may_not_decide");
    }
    expect((await reviewOf(reviewId)).status).toBe("open");
    await mcp.close();
  });
});

describe("over HTTP", () => {
  const tokens = projectTokens(null, folder.path);
  let issuer: Issuer;
  let server: HttpServer;
  beforeAll(async () => {
    issuer = await openIssuer();
    const identity = identityOverHttp(
      () => people,
      "mcp",
      () => service,
    );
    server = await serveHttp(
      { ...rig.parts, identity, files: false },
      {
        host: "127.0.0.1",
        port: 0,
        hosts: LOOPBACK_HOSTS,
        origins: [],
        token: "shared-by-agents",
        findToken: (text) => tokens.find(text),
        oidc: oidcVerifier({ issuer: issuer.url, audience: "navigator" }),
      },
    );
  });
  afterAll(async () => {
    await server.close();
    await issuer.close();
  });
  const transportOf = (token: string, sessionId?: string) =>
    new StreamableHTTPClientTransport(new URL(server.url), {
      requestInit: { headers: { authorization: `Bearer ${token}` } },
      ...(sessionId === undefined ? {} : { sessionId }),
    });
  const connect = (token: string, someone = passes()) =>
    connectClient(transportOf(token) as never, someone.options, someone.prepare);
  const tokenOf = (owner: string, kind: "person" | "service" = "person") =>
    tokens.create({ owner, kind, ...(kind === "service" && { scopes: SCOPE_NAMES }) }).token;

  test.each<[string, () => Promise<string> | string]>([
    ["a token of their own", () => tokenOf("anna")],
    ["a token of the OIDC issuer", () => issuer.token({ sub: "u-anna" })],
  ])("the person of %s decides, and the server's service vouches for them", async (name, token) => {
    const reviewId = await waitsAt("named", `http-${name.replaceAll(/\W/g, "-")}`);
    const someone = passes();
    const mcp = await connect(await token(), someone);
    const { answer, review } = await mcp.data("decide_review", { reviewId });
    expect(answer).toBe("accepted");
    expect(review.decision).toMatchObject({ by: "anna", kind: "person", via: "http" });
    expect(review.decision.seal).toBe(review.seal);
    expect(someone.asked[0]?.message).toContain(`Seal: ${review.seal}`);
    expect(await verified(review.decision)).toMatchObject({
      principal: { id: "anna", verified: true, via: "http" },
      signed: { kid: service.kid, by: "mcp" },
    });
    expect(someone.asked).toMatchObject([{ message: expect.stringContaining("You decide as anna") }]);
    await mcp.close();
  });

  test.each<[string, () => Promise<string> | string]>([
    ["of nobody, which agents share", () => "shared-by-agents"],
    ["of a service", () => tokenOf("mcp", "service")],
    ["of somebody who is not in people.yaml", () => tokenOf("mallory")],
    ["of an unknown subject", () => issuer.token({ sub: "u-stranger" })],
  ])("a token %s lets in, and an answer is no decision", async (name, token) => {
    const reviewId = await waitsAt("free", `nobody-${name.replaceAll(/\W/g, "-")}`);
    const someone = passes();
    const mcp = await connect(await token(), someone);
    const hint = expect.stringMatching(/no decision.*no token of one of the project's people/);
    expect(await mcp.data("decide_review", { reviewId })).toMatchObject({ answer: "not_asked", hint });
    const { error } = await mcp.refused("decide_review", { reviewId, choice: "passed", by: "anna" });
    expect(error.code).toBe("agents_may_not_decide");
    expect(someone.asked).toEqual([]);
    expect((await reviewOf(reviewId)).status).toBe("open");
    await mcp.close();
  });

  const revoked = () => {
    const { token, record } = tokens.create({ owner: "anna", kind: "person" });
    tokens.revoke(record.id);
    return token;
  };
  test.each<[string, () => Promise<string> | string]>([
    ["that was revoked", revoked],
    ["that is over", () => tokens.create({ owner: "anna", kind: "person", expires: "2026-01-02T00:00:00Z" }).token],
    ["of a person who left", () => tokenOf("gone")],
    ["of the issuer, of a person who left", () => issuer.token({ sub: "u-gone" })],
    ["of the issuer for another server", () => issuer.token({ sub: "u-anna", aud: "shop" })],
    ["nobody has made", () => `navigator_0123456789abcdef_${"A".repeat(43)}`],
    [
      "of another project",
      () => projectTokens("bank" as never, folder.path).create({ owner: "anna", kind: "person" }).token,
    ],
  ])("a token %s does not let in", async (_, token) => {
    await expect(connect(await token())).rejects.toThrow(/bearer token does not count/);
  });

  test("a token that is revoked ends what its session may do, at the next request", async () => {
    const { token, record } = tokens.create({ owner: "anna", kind: "person" });
    const mcp = await connect(token);
    await mcp.data("list_reviews");
    tokens.revoke(record.id);
    await expect(mcp.data("list_reviews")).rejects.toThrow(/401|does not count/);
    await mcp.close();
  });

  test("nobody gets into the session of another: an answer in a dialog is that of the one who was asked", async () => {
    const transport = transportOf(tokenOf("anna"));
    const someone = passes();
    const mcp = await connectClient(transport as never, someone.options, someone.prepare);
    const { sessionId } = transport;
    const body = JSON.stringify({ jsonrpc: "2.0", id: 7, method: "tools/list", params: {} });
    const asked = async (token: string) => {
      const headers = {
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-session-id": String(sessionId),
        "mcp-protocol-version": "2025-11-25",
      };
      const answer = await fetch(server.url, { method: "POST", headers, body });
      await answer.body?.cancel();
      return answer.status;
    };
    expect(await asked(tokenOf("ben"))).toBe(404);
    expect(await asked("shared-by-agents")).toBe(404);
    expect(await asked(tokenOf("anna"))).toBe(200);
    expect(await asked(await issuer.token({ sub: "u-anna" }))).toBe(200);
    await mcp.close();
  });

  test("a server whose service may not vouch authenticates nobody, and says what people.yaml needs", async () => {
    const reviewId = await waitsAt("free", "no-voucher");
    const mcp = await connect(tokenOf("anna"));
    for (const services of [
      {},
      { mcp: { keys: [publicKey(service)] } },
      { mcp: { keys: [publicKey(ben)], may: ["vouch"] } },
    ]) {
      const { ben: _, ...others } = PEOPLE.people;
      people = peopleOf({ ...PEOPLE, people: others, groups: {}, services });
      const hint = expect.stringMatching(/navigator people service mcp --may vouch/);
      expect(await mcp.data("decide_review", { reviewId })).toMatchObject({ answer: "not_asked", hint });
    }
    await mcp.close();
  });

  test("while the issuer is away its tokens are neither right nor wrong: 503, and other tokens count", async () => {
    const gone = await openIssuer();
    const token = await gone.token({ sub: "u-anna" });
    const settings = { host: "127.0.0.1", port: 0, hosts: LOOPBACK_HOSTS, origins: [], token: "shared" };
    const lonely = await serveHttp(rig.parts, {
      ...settings,
      oidc: oidcVerifier({ issuer: gone.url, audience: "navigator" }),
    });
    await gone.close();
    const status = async (text: string) => {
      const answer = await fetch(lonely.url, {
        headers: { authorization: `Bearer ${text}`, accept: "text/event-stream" },
      });
      await answer.body?.cancel();
      return answer.status;
    };
    expect(await status(token)).toBe(503);
    expect(await status("shared")).toBe(400);
    await lonely.close();
  });
});

describe("a call that cannot be taken back", () => {
  test("is approved by nobody but a person who is verified, also where agents may decide", async () => {
    const { runId } = await plain.data("run_agent", { agent: "payer", id: "pays", waitSeconds: 0 });
    const open = await until(
      async () =>
        (await plain.data("list_reviews")).open.find((one: { workflowId: string }) => one.workflowId.endsWith("/pays")),
      "the approval opens",
    );
    const reviewId = open.review.id;
    const deciding = await connectInMemory({ ...rig.parts, mayDecide: true });
    for (const by of [undefined, "anna"]) {
      const { error } = await deciding.refused("decide_review", { reviewId, choice: "approve", by });
      expect(error.code).toBe("agents_may_not_decide");
    }
    await deciding.close();
    expect(charge).not.toHaveBeenCalled();
    const someone = person(() => ({ action: "accept", content: { decision: "approve" } }));
    const identity = identityOverStdio(
      () => people,
      () => ({ person: "ben", key: ben }),
    );
    const mcp = await connectInMemory({ ...rig.parts, identity }, someone.options, someone.prepare);
    expect(await mcp.data("decide_review", { reviewId })).toMatchObject({ answer: "accepted" });
    expect(await mcp.data("get_run", { runId, waitSeconds: 20 })).toMatchObject({ status: "completed" });
    expect(charge).toHaveBeenCalledTimes(1);
    await mcp.close();
  });
});

describe("processes: navigator mcp, with keys and tokens on the disk", () => {
  let place: Place;
  let worker: Awaited<ReturnType<Place["worker"]>>;
  let env: { [name: string]: string };
  const identity = () => path.join(place.folder, ".identity");
  beforeAll(async () => {
    const namespace = await newNamespace();
    const queue = `mcp-${namespace}`;
    place = await openPlace("mcp-principals", { TEMPORAL_NAMESPACE: namespace, NAVIGATOR_TASK_QUEUE: queue });
    env = {
      PATH: process.env.PATH ?? "",
      HOME: process.env.HOME ?? "",
      TEMPORAL_ADDRESS: testAddress(),
      TEMPORAL_NAMESPACE: namespace,
      NAVIGATOR_TASK_QUEUE: queue,
      NAVIGATOR_PROJECT: "none",
      NAVIGATOR_IDENTITY: identity(),
    };
    place.write("navigator.config.json", "{}");
    place.write("workflows/graph.json", { id: "graph", ...GRAPH });
    const { key } = logIn(null, "anna", { folder: identity() });
    const vouching = serviceKey("mcp", identity());
    place.write(
      "people.yaml",
      stringify({
        people: { anna: { keys: [publicKey(key)] } },
        groups: { finance: { members: ["anna"] } },
        services: { mcp: { keys: [publicKey(vouching)], may: ["vouch"] } },
      }),
    );
    worker = await place.worker();
  });
  afterAll(async () => {
    await worker.stop();
    place.close();
  });
  const toGate = async (mcp: McpClient, id: string) => {
    await mcp.call("create_task", { workflowType: "graph", id });
    return mcp.data("start", { taskId: id });
  };

  test("stdio: the person at the client decides as the one who is logged in on this machine", async () => {
    const someone = passes();
    const transport = new StdioClientTransport({ command: process.execPath, args: BUILT, env, cwd: place.folder });
    const mcp = await connectClient(transport, someone.options, someone.prepare);
    expect((await toGate(mcp, "t-stdio")).waitingFor).toMatchObject({
      answer: "accepted",
      decision: { choice: "passed", by: "anna", verified: true },
    });
    const { error } = await mcp.refused("advance_task", { taskId: "t-stdio", result: "passed" });
    expect(error.code).toBe("agents_may_not_decide");
    await mcp.close();
  });

  deepTest(
    "--may decide: the agent decides under its own name where nobody is named, and the task shows what agents moved",
    async () => {
      const args = [...BUILT, "--may", "decide"];
      const mcp = await connectClient(
        new StdioClientTransport({ command: process.execPath, args, env, cwd: place.folder }),
      );
      await toGate(mcp, "t-decided");
      const openReview = () =>
        until(async () => (await mcp.data("list_reviews", { taskId: "t-decided" })).open[0]?.review.id, "it is asked");
      expect(await mcp.data("decide_review", { reviewId: await openReview(), choice: "passed" })).toMatchObject({
        review: { decision: { by: "agent:test", kind: "agent", via: "mcp", principal: { verified: false } } },
      });
      const { error } = await mcp.refused("decide_review", { reviewId: await openReview(), choice: "passed" });
      expect(error.code).toBe("agents_may_not_decide");
      await toGate(mcp, "t-moved");
      const { version } = await mcp.data("get_task", { taskId: "t-moved" });
      await mcp.call("advance_task", { taskId: "t-moved", result: "passed", version });
      await mcp.close();
      const { stdout } = await place.run(["task", "show", "t-moved"]);
      expect(stdout).toMatch(
        /\nMoved by agents where people were asked\n {2}free -> named {2}passed {2}agent:test {2}\S/,
      );
    },
  );

  deepTest("HTTP: a token that navigator token has made stands for its person until it is revoked", async () => {
    const child = spawn(process.execPath, [...BUILT, "--http", "--port", "0", "--json"], { env, cwd: place.folder });
    const end = ended(child);
    const url = await new Promise<string>((resolve) =>
      createInterface({ input: child.stdout }).once("line", (line) => resolve(JSON.parse(line).url)),
    );
    const made = JSON.parse((await place.run(["token", "create", "anna", "--json"])).stdout);
    const someone = passes();
    const connect = () =>
      connectClient(
        new StreamableHTTPClientTransport(new URL(url), {
          requestInit: { headers: { authorization: `Bearer ${made.token}` } },
        }) as never,
        someone.options,
        someone.prepare,
      );
    const mcp = await connect();
    expect((await toGate(mcp, "t-http")).waitingFor).toMatchObject({
      answer: "accepted",
      decision: { by: "anna", verified: true },
    });
    const { review } = await mcp.data("get_review", { reviewId: "t-http/free/1" });
    expect(review.decision).toMatchObject({ by: "anna", via: "http", signature: expect.any(String) });
    await mcp.close();
    expect((await place.run(["token", "revoke", made.id])).code).toBe(0);
    await expect(connect()).rejects.toThrow(/does not count/);
    child.kill("SIGTERM");
    expect(await end).toBe(0);
  });
});
