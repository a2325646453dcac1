import { defineAgent } from "../../src/project/authoring/define-agent";
import { program } from "../../src/testing/mission";
import { defineTool, type Tool } from "../../src/tools";
import { QUORUM } from "./team";

/** What a mission pays. */
export interface Payment {
  order: number;
  cents: number;
}

/** The payment service that the tools call. It makes every payment that a tool requests, and counts. */
export class PaymentService {
  private readonly charges = new Map<number, Payment[]>();
  /** Of all orders. */
  count = 0;

  /** What was charged for an order. */
  of(order: number): readonly Payment[] {
    return this.charges.get(order) ?? [];
  }

  /** The tool that pays. @param version of the tool; another one is another tool to those who approve */
  tool(name: string, version?: string): Tool {
    return defineTool({
      name,
      signature: "(order :int, cents :int) -> :map",
      effect: "irreversible",
      // gil has left: that a review names him does not bring him back.
      approval: { assignees: ["anna", "gil", "group:payers"], quorum: QUORUM },
      ...(version === undefined ? {} : { version }),
      run: (args) => {
        const { order, cents } = args as unknown as Payment;
        this.count += 1;
        this.charges.set(order, [...this.of(order), { order, cents }]);
        return args;
      },
    });
  }
}

/** The tool that missions pay with. */
export const PAY = "pay";
/** A tool that the worker gets in another version while calls are under way. */
export const SWAPPED = "pay_swapped";

/** An agent that pays once with this tool, or returns why it could not. */
export const payer = (tool: string) =>
  defineAgent("Pay order {{order}}.", { name: `payer_${tool}`, tools: [tool], max_turns: 2 });

/** What the models of the payers answer. */
export const PAYER_SCRIPT = Object.fromEntries(
  [PAY, SWAPPED].map((tool) => [
    payer(tool).name as string,
    [program(`(return (tool/${tool} {:order data/order :cents data/cents}))`), program("(return data/fail)")],
  ]),
);
