import * as z from "zod";
import { TaskData } from "../../results/schemas";

/** Arguments and results of several tools of the queue. */

const DEFAULT_LEASE_S = 300;

export const owner = z.string().min(1).describe("Who works on it; the same to renew");
export const leaseSeconds = z
  .number()
  .min(1)
  .max(86_400)
  .default(DEFAULT_LEASE_S)
  .describe("Without a renewal the claim ends after this time");
export const ClaimData = z.looseObject({ task: TaskData, token: z.string(), expiresAt: z.number() });

export const note = z.string().describe("Why; kept in the task's history").optional();
