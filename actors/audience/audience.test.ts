import test from "ava";
import { DrivenNotifications, type Message } from "../../test/support/notifications.ts";
import { sinkMessages } from "../shared/outbound/sink.ts";

test("a trigger reaches the subscriber's address by the sink, and the delivery says so", async (t) => {
  const module = new DrivenNotifications();
  module.integrate({});
  const subscriber_id = await module.subscriber("user-7", { email: "ada@example.com" });
  const { transaction_id, outcomes } = await module.trigger({ subscriber_id, channels: ["email"] });
  t.like(outcomes, [{ channel: "email", status: "running", reason_code: "default" }]);
  await module.send();
  const delivery = await module.call("NotificationService.GetDelivery", {
    delivery_id: outcomes[0]!.delivery_id,
  });
  t.like(delivery, { status: "sent", identity: "ada@example.com", transaction_id, provider_key: "sink" });
  t.like(sinkMessages().at(-1), { to: "ada@example.com", subject: "Hello", text: "Welcome." });
  const listed = await module.call<{ deliveries: Message[]; total: number }>(
    "NotificationService.ListDeliveries",
    { transaction_id },
  );
  t.is(listed.total, 1);
  t.is(listed.deliveries[0]!.id, outcomes[0]!.delivery_id);
});
