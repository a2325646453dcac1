export { type OwnServer, openOwnServer } from "../../src/prove/rig/own-server";
