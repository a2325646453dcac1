// Loaded before a server that would listen on every interface of the machine.
const { Server } = require("node:net");

const { listen } = Server.prototype;
Server.prototype.listen = function (port, ...rest) {
  return typeof port === "object"
    ? listen.call(this, port, ...rest)
    : listen.call(this, Number(port), "127.0.0.1", ...rest);
};
