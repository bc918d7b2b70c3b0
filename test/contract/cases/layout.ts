import { type Case, nobody } from "./case.ts";
import type { World } from "./world.ts";

const settings = {
  channel: "email",
  name: "a layout",
  engine: "handlebars",
  body: "<main>{{ content }}</main>",
};

async function layout(world: World): Promise<{ layout_id: string }> {
  const { id } = await world.call<{ id: string }>("LayoutService.CreateLayout", settings);
  return { layout_id: id };
}

const one = (method: string, request: Case["request"]): Case => ({ method, claim: "one", request });
const bad = (
  method: string,
  claim: string,
  request: object,
  refused: NonNullable<Case["refused"]>,
): Case => ({
  method,
  claim,
  request: () => request,
  refused,
});
const unknown = (method: string, more: object = {}): Case =>
  bad(method, "an unknown one is not found", { layout_id: nobody, ...more }, "NOT_FOUND");

export const cases: readonly Case[] = [
  one("LayoutService.CreateLayout", () => settings),
  bad(
    "LayoutService.CreateLayout",
    "content is required",
    { ...settings, body: "<main></main>" },
    "INVALID_ARGUMENT",
  ),
  bad(
    "LayoutService.CreateLayout",
    "a template with a mistake is refused",
    { ...settings, engine: "liquid", body: "{% nope %}{{ content }}" },
    "INVALID_ARGUMENT",
  ),
  one("LayoutService.GetLayout", layout),
  unknown("LayoutService.GetLayout"),
  one("LayoutService.ListLayouts", async (world) => {
    await layout(world);
    await layout(world);
    return { page_size: 1, channel: "email" };
  }),
  bad(
    "LayoutService.ListLayouts",
    "a cursor of another list is refused",
    { page_token: "none" },
    "INVALID_ARGUMENT",
  ),
  one("LayoutService.UpdateLayout", async (world) => ({
    ...(await layout(world)),
    name: "another",
    engine: "liquid",
    body: "{{ content }}",
    version: 1,
  })),
  {
    method: "LayoutService.UpdateLayout",
    claim: "an old version is refused",
    request: async (world) => ({
      ...(await layout(world)),
      name: "another",
      engine: "liquid",
      body: "{{ content }}",
      version: 7,
    }),
    refused: "VERSION_CONFLICT",
  },
  {
    method: "LayoutService.UpdateLayout",
    claim: "a version is required",
    request: async (world) => ({
      ...(await layout(world)),
      name: "x",
      engine: "liquid",
      body: "{{ content }}",
    }),
    refused: "INVALID_ARGUMENT",
  },
  unknown("LayoutService.UpdateLayout", { name: "x", engine: "liquid", body: "{{ content }}", version: 1 }),
  one("LayoutService.DeleteLayout", layout),
  unknown("LayoutService.DeleteLayout"),
  one("LayoutService.GetLayoutUsage", layout),
  unknown("LayoutService.GetLayoutUsage"),
  one("LayoutService.SetDefaultLayout", layout),
  unknown("LayoutService.SetDefaultLayout"),
  one("LayoutService.DuplicateLayout", layout),
  unknown("LayoutService.DuplicateLayout"),
  one("LayoutService.PreviewLayout", async (world) => ({
    ...(await layout(world)),
    payload: { name: "Ada" },
  })),
  unknown("LayoutService.PreviewLayout"),
];

export const decided = `
LayoutService.CreateLayout     | POST /api/v2/layouts | layout:write | | I
LayoutService.GetLayout        | GET /api/v2/layouts/{layout_id} | layout:read | | R
LayoutService.ListLayouts      | GET /api/v2/layouts | layout:read | | R C
LayoutService.UpdateLayout     | PUT /api/v2/layouts/{layout_id} | layout:write | | I
LayoutService.DeleteLayout     | DELETE /api/v2/layouts/{layout_id} | layout:write | | I
LayoutService.GetLayoutUsage   | GET /api/v2/layouts/{layout_id}/usage | layout:read | | R
LayoutService.SetDefaultLayout | POST /api/v2/layouts/{layout_id}:setDefault | layout:write | | I
LayoutService.DuplicateLayout  | POST /api/v2/layouts/{layout_id}:duplicate | layout:write | | I
LayoutService.PreviewLayout    | POST /api/v2/layouts/{layout_id}:preview | layout:read | | N
`;
