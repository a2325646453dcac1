import { z } from "zod";
import { defined } from "../../core/base/defined";

const fairness = z
  .strictObject({
    key: z.string().min(1).max(64).meta({ description: "At most 64 bytes", example: "acme" }),
    weight: z.number().min(0.001).max(1000).optional().meta({ description: "Turns of this key for one of another" }),
  })
  .meta({ id: "Fairness", description: "Whose work it is: each key gets its turn. Default: the project" });

/** Of a start: how the work shares busy workers with other work. */
export const shareBody = {
  priority: z.number().optional().meta({ description: "A higher number is more important. Default: 0" }),
  fairness: fairness.optional(),
};

/** As the client takes it. */
export const shareOf = (body: { priority?: number | undefined; fairness?: z.infer<typeof fairness> | undefined }) =>
  defined({ priority: body.priority, fairness: body.fairness && defined(body.fairness) });
