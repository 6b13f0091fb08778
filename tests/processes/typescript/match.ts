// Two programs play a match to its end, with the types of the hall's OpenAPI document.
import createClient from "openapi-fetch";
import type { components, paths } from "./schema";

type Table = components["schemas"]["TableInfo"];

declare const process: { argv: string[] };
const baseUrl = process.argv[2];

async function program(name: string) {
  const { data } = await createClient<paths>({ baseUrl }).POST("/api/v1/guests", { body: { name } });
  return createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${data!.token}` } });
}

const players = [await program("Ada"), await program("Björn")];
const [host, friend] = players;
const opened = await host.POST("/api/v1/tables", { body: { game: "axes-and-allies", players: 2 } });
const params = { path: { id: opened.data!.id } };
await friend.POST("/api/v1/tables/{id}/join", { params, body: {} });
let table: Table | undefined = (await host.POST("/api/v1/tables/{id}/start", { params })).data;
while (table?.status === "running") {
  const player = players[table.view!["actor"] as number];
  const { data: legal } = await player.GET("/api/v1/tables/{id}/legal", { params });
  const body = { action: legal![0].action, n: table.view!["next"] as number };
  const { data, error } = await player.POST("/api/v1/tables/{id}/actions", { params, body });
  if (error) throw new Error(error.reason);
  table = data;
}
const { data: record } = await host.GET("/api/v1/tables/{id}/record", { params });
console.log(JSON.stringify(record));
