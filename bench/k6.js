// What the other tools do: the same GET over and over on connections that are kept.
import http from "k6/http";

export const options = { discardResponseBodies: true, noConnectionReuse: __ENV.CLOSE === "1" };

export default function () {
  http.get(__ENV.URL);
}
