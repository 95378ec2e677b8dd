// The five steps of session.toml.
import http from "k6/http";
import { check } from "k6";

const base = __ENV.URL;
const json = { "Content-Type": "application/json" };

export default function () {
  const login = http.post(`${base}/login`, JSON.stringify({ user: "ann", password: "secret" }), { headers: json });
  check(login, { 200: (r) => r.status === 200 });
  const bearer = { Authorization: `Bearer ${login.json("token")}` };
  const items = http.get(`${base}/items`, { headers: bearer });
  check(items, { 200: (r) => r.status === 200, items: (r) => r.body.includes("items") });
  const id = items.json("items.1.id");
  const item = http.get(`${base}/item/${id}`, { headers: bearer });
  check(item, { 200: (r) => r.status === 200, stock: (r) => r.json("stock") === 9 });
  const body = JSON.stringify({ id: String(id), count: 1 });
  const order = http.put(`${base}/cart/${id}`, body, { headers: { ...json, ...bearer } });
  check(order, { 200: (r) => r.status === 200 });
  const cancel = http.del(`${base}/order/${order.json("order")}`, null, { headers: bearer });
  check(cancel, { 200: (r) => r.status === 200, done: (r) => r.body.includes("done") });
}
