// For webpack: gives workflow code a place for one more command wherever there may be one (see places.ts).
if (!process.env.JEST_WORKER_ID) require("../../scripts/register-ts.cjs");
const { withPlaces } = require("./bundle.ts");

module.exports = function loader(source) {
  return withPlaces(source, this.resourcePath, this.getOptions().only);
};
