import type { ToolSpec } from "../../../../src/core/calls/tool";

/** Interfaces of services as they are found in practice: 20 of them with 25 tools each. */
const SERVICES: readonly [service: string, things: string][] = [
  ["github", "repository pull_request issue branch release"],
  ["slack", "channel message reminder emoji thread"],
  ["stripe", "payment refund subscription coupon payout"],
  ["calendar", "event attendee room holiday availability"],
  ["crm", "contact company deal note pipeline"],
  ["hr", "employee vacation salary contract applicant"],
  ["warehouse", "shipment parcel shelf stock supplier"],
  ["travel", "flight hotel train visa itinerary"],
  ["bank", "account transfer statement loan mandate"],
  ["cloud", "server volume snapshot firewall certificate"],
  ["dns", "zone record nameserver redirect alias"],
  ["mail", "draft attachment mailbox filter signature"],
  ["drive", "file folder permission comment revision"],
  ["survey", "question answer respondent template report"],
  ["ads", "campaign audience keyword banner bid"],
  ["legal", "clause agreement party deadline litigation"],
  ["lab", "sample experiment instrument protocol reading"],
  ["school", "course student grade teacher timetable"],
  ["clinic", "patient prescription diagnosis referral bed"],
  ["energy", "meter tariff turbine outage invoice"],
];
const DEEDS: readonly [deed: string, text: string, effect: ToolSpec["effect"]][] = [
  ["create", "Creates a new", "write"],
  ["get", "Gives one", "read"],
  ["list", "Lists every", "read"],
  ["update", "Changes the fields of a", "write"],
  ["delete", "Deletes a", "irreversible"],
];

/** The first `count` of 500 tools, each service's in turn, so that few tools are of many kinds. */
export function manyTools(count: number): ToolSpec[] {
  const all = DEEDS.flatMap(([deed, text, effect]) =>
    [0, 1, 2, 3, 4].flatMap((i) =>
      SERVICES.map(([service, things]): ToolSpec => {
        const thing = things.split(" ")[i] as string;
        return {
          name: `${service}_${deed}_${thing}`,
          effect,
          signature: deed === "list" ? "(limit :int?) -> [:any]" : `(${thing}_id :string) -> :any`,
          description: `${text} ${thing.replaceAll("_", " ")} in ${service}`,
        };
      }),
    ),
  );
  return all.slice(0, count);
}
