import { z } from "zod";
import { MISSION_STATES } from "../../client/listing/mission-state";
import { countMissions, listMissions, type MissionCountOptions } from "../../client/missions";
import { defined } from "../../core/base/defined";
import { sharedRead } from "../requests/shared-read";
import { type EndpointCall, endpoint } from "./endpoint";

const TAG = "Missions, tasks and plans";

const time = z.coerce.number().int().min(0);

/** One mission in a list. */
export const MissionRow = z
  .object({
    workflow_id: z.string().meta({ example: "shop:agent/42" }),
    run_id: z.string(),
    kind: z.enum(["agent", "task", "plan"]),
    state: z.enum(MISSION_STATES),
    started_at: z.number().meta({ description: "Ms since 1970" }),
    closed_at: z.number().optional(),
    agent: z.string().optional(),
    graph: z.string().optional(),
    step: z.string().optional(),
    issue: z.string().optional(),
    status: z.string().optional(),
    priority: z.number().optional(),
    open_reviews: z.number(),
    cost: z.number().optional().meta({ description: "US dollars so far, where prices are known" }),
    tokens: z.number().optional(),
    waits_for: z.string().optional().meta({ description: "What it, or a run below it, waits for, in one line" }),
    since: z.number().optional().meta({ description: "Since when it waits, ms since 1970" }),
    task_queue: z.string(),
  })
  .meta({ id: "ListedMission" });

const filter = {
  kind: z.enum(["agent", "task", "plan"]).optional(),
  agent: z.string().min(1).optional(),
  graph: z.string().min(1).optional(),
  started_after: time.optional().meta({ description: "Ms since 1970" }),
  started_before: time.optional().meta({ description: "Ms since 1970" }),
};

export const listMissionsEndpoint = endpoint({
  method: "get",
  path: "/api/missions",
  needs: ["read"],
  operation: "listMissions",
  summary: "Lists missions, open ones first, then the newest; needs no worker",
  tag: TAG,
  query: z.object({
    ...filter,
    state: z.enum(MISSION_STATES).optional(),
    text: z.string().min(1).max(200).optional(),
    min_cost: z.coerce
      .number()
      .min(0)
      .optional()
      .meta({ description: "It used at least this so far, in US dollars; a page may have fewer items than fit" }),
    size: z.coerce.number().int().min(1).max(200).optional(),
    page: z.string().optional().meta({ description: "`next` of the page before" }),
  }),
  answer: z.object({ missions: z.array(MissionRow), next: z.string().optional() }),
  errors: ["invalid_input", "server_error"],
  tagged: true,
  run: ({ query, call }) => listMissions(call.client, defined(query)),
});

/** Each page that shows the list counts every few seconds. */
const sharedCounts = sharedRead(
  ({ client }: Pick<EndpointCall, "client">, query) => countMissions(client, JSON.parse(query) as MissionCountOptions),
  { ms: 1_000 },
);

export const countMissionsEndpoint = endpoint({
  method: "get",
  path: "/api/missions/counts",
  needs: ["read"],
  operation: "countMissions",
  summary: "Counts missions by state",
  tag: TAG,
  query: z.object(filter),
  answer: z.record(z.enum(MISSION_STATES), z.number()),
  tagged: true,
  run: ({ query, call }) => sharedCounts(call, JSON.stringify(query)),
});
