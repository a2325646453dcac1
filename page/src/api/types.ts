/** The shapes that the API answers with: those of the server's own code. */
export type { InboxPage } from "../../../src/client/inbox-page";
export type { MissionState } from "../../../src/client/listing/mission-state";
export type { MissionTree } from "../../../src/client/mission-tree";
export type { ListedMission, MissionPage } from "../../../src/client/missions";
export type { StreamEntry } from "../../../src/core/history/stream/entry";
export type { InboxItem } from "../../../src/core/review/inbox/inbox-item";
export type { Review } from "../../../src/core/review/review-schema";
export type { RunEvent } from "../../../src/web/events/mission-tail";
