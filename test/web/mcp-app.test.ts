import { builtAppFolder } from "../../src/mcp/apps/app-folder";
import { identityOverHttp, identityOverStdio } from "../../src/mcp/context/identity";
import type { ServerContext } from "../../src/mcp/server";
import { verifyDecision } from "../../src/node/identity/verify-decision";
import { defineTool } from "../../src/tools";
import { type Answer, connectInMemory, WITHOUT_TEMPORAL } from "../support/mcp/client";
import { agent, fenced } from "../support/rig";
import { newKey, peopleOf, publicKey } from "../support/test-keys";
import { until } from "../support/until";
import { type MissionControl, openMissionControl, WEB_SERVICE } from "../support/web/mission-control";

/**
 * The views of the MCP server in a chat (mcp reference, section 11) by their tools: a model does not decide, whatever it calls.
 */

const [anna, service] = [newKey(), newKey()];

const PEOPLE = {
  people: { anna: { keys: [publicKey(anna)] }, ben: {}, carl: {} },
  groups: { finance: { members: ["anna", "ben"] } },
  services: { [WEB_SERVICE]: { keys: [publicKey(service)], may: ["vouch"] } },
};

let people = peopleOf(PEOPLE);

afterEach(() => {
  people = peopleOf(PEOPLE);
});

const TICKET = "navigator/ticket";

const UI = {
  capabilities: { extensions: { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html;profile=mcp-app"] } } },
};

const refundMade = jest.fn();

const HOSTILE = `<img src=x onerror="document.title='hacked'">`;

let control: MissionControl;
let parts: ServerContext;

beforeAll(async () => {
  const refund = defineTool({
    name: "refund_card",
    description: "Gives money back to the customer's card",
    signature: "(order :int, cents :int, why :string) -> :string",
    effect: "irreversible",
    approval: { assignees: ["group:finance"] },
    run: async () => {
      refundMade();
      return "re_1";
    },
  });
  const program = `(return (task (str "refund_" data/order) (tool/refund_card {:order data/order :cents data/cents :why data/why})))`;
  const clerk = agent({ name: "clerk", tools: [refund.spec], max_turns: 1 });
  const breaks = agent({ name: "breaks", max_turns: 1 });
  control = await openMissionControl({
    people: () => people,
    serviceKey: service,
    page: false,
    tools: [refund],
    script: {
      clerk: [`It arrived broken. ${HOSTILE}\n\n${fenced(program)}`],
      breaks: [fenced('(fail {:reason :no_stock :message "None is left."})')],
    },
    project: { agents: { clerk, breaks } },
  });
  parts = {
    ...control.context,
    files: false,
    appFolder: builtAppFolder(),
    pageUrl: "https://control.example.com",
    seal: WITHOUT_TEMPORAL.seal,
    identity: identityOverHttp(
      () => people,
      WEB_SERVICE,
      () => service,
    ),
  };
});
afterAll(async () => {
  await control?.stop();
});

let orders = 0;

/** A mission that asks whether an order is refunded, and its review. */
async function asked(cents: number) {
  orders += 1;
  const run = await control.client.startAgent({
    id: `order-${orders}`,
    agent: agent({ name: "clerk", tools: control.tools.specs(), max_turns: 1 }),
    context: { order: orders, cents, why: HOSTILE },
    model: "scripted",
  });
  const item = await until(
    async () => (await control.client.inbox({ text: run.id })).items.find(({ review }) => review !== undefined),
    `the review of ${run.id}`,
  );
  return { run, order: orders, id: item.review?.id as string, seal: item.review?.seal as string };
}

const reviewOf = async (id: string) => (await control.get(`/api/inbox/${encodeURIComponent(id)}`)).review;

/** A client in this process that says that it shows views, and what its model could call. */
async function connectHost(identity = parts.identity, options: object = UI) {
  const host = await connectInMemory({ ...parts, ...(identity === undefined ? {} : { identity }) }, options);
  const raw = (name: string, args: object): Promise<Answer> =>
    host.client.callTool({ name, arguments: args as { [name: string]: unknown } }) as Promise<Answer>;
  return {
    ...host,
    raw,
    ticketOf: async (id: string) => (await raw("app_get_review", { reviewId: id }))._meta?.[TICKET]?.ticket,
  };
}

const asAnna = identityOverStdio(
  () => people,
  () => ({ person: "anna", key: anna }),
);

describe("a model does not decide", () => {
  test("a client that does not say that it shows views has none of these tools, by any name", async () => {
    const plain = await connectHost(asAnna, {});
    const { tools } = await plain.client.listTools();
    expect(tools.filter(({ name }) => name.startsWith("app_"))).toEqual([]);
    const { id } = await asked(1_100);
    for (const name of ["app_get_review", "app_decide_review"])
      await expect(plain.raw(name, { reviewId: id, ticket: "x", choice: "approve" })).rejects.toMatchObject({
        code: -32602,
        message: expect.stringContaining(`Tool ${name} not found`),
      });
    await plain.close();
  });

  test("the ticket is not in what a model reads, and without it nothing is decided", async () => {
    const { id } = await asked(1_000);
    const host = await connectHost(asAnna);
    const seen = await host.raw("app_get_review", { reviewId: id });
    expect(JSON.stringify([seen.content, seen.structuredContent])).not.toContain(seen._meta[TICKET].ticket);
    const { review, decider } = seen.structuredContent.data;
    expect(decider).toEqual({ kind: "person", person: "anna" });
    for (const ticket of ["x", id, review.seal, review.nonce]) {
      const refused = await host.raw("app_decide_review", { ticket, choice: "approve" });
      expect(refused.isError).toBe(true);
      expect(JSON.parse(refused.content[0].text).error.code).toBe("agents_may_not_decide");
    }
    expect((await reviewOf(id)).status).toBe("open");
    expect(refundMade).not.toHaveBeenCalled();
    await host.close();
  });

  test("a ticket counts once, in its own session, and while its person may decide", async () => {
    const { id } = await asked(1_200);
    const [host, other] = [await connectHost(asAnna), await connectHost(asAnna)];
    const ticket = await host.ticketOf(id);
    const code = async (where: typeof host, given: string, choice = "approve") =>
      JSON.parse((await where.raw("app_decide_review", { ticket: given, choice })).content[0].text).error?.code;
    expect(await code(other, ticket)).toBe("agents_may_not_decide");
    expect(await code(host, ticket, "perhaps")).toBe("invalid_decision");
    expect(await code(host, ticket)).toBe("agents_may_not_decide");
    const late = await host.ticketOf(id);
    const { anna: leaves, ...stay } = PEOPLE.people;
    people = peopleOf({ ...PEOPLE, people: { ...stay, anna: { ...leaves, removed: "2026-01-02T00:00:00Z" } } });
    expect(await code(host, late)).toBe("agents_may_not_decide");
    expect(await host.ticketOf(id)).toBeUndefined();
    expect((await reviewOf(id)).status).toBe("open");
    people = peopleOf(PEOPLE);
    expect(await code(host, await host.ticketOf(id), "reject")).toBeUndefined();
    // Over stdio the person's own key signs.
    const { decision } = await reviewOf(id);
    expect(decision).toMatchObject({ by: "anna", via: "mcp", principal: { id: "anna", verified: true, via: "mcp" } });
    expect(await verifyDecision(people, decision, Date.now())).toMatchObject({ signed: { kid: anna.kid } });
    await Promise.all([host.close(), other.close()]);
  });
});
