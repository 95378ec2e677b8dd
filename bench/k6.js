// Does what the other tools do: it repeats one GET on connections that are kept open.
import http from "k6/http";

export const options = { discardResponseBodies: true, noConnectionReuse: __ENV.CLOSE === "1" };

export default function () {
  http.get(__ENV.URL);
}
