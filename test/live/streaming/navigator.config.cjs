/** A worker whose listener tells everything to the test, which is the world outside. */
module.exports = {
  onChunk: {
    outside: async (chunk) => {
      await fetch(process.env.HEARD_URL, { method: "POST", body: JSON.stringify(chunk) });
    },
  },
};
