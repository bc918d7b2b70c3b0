/** Inputs of actions that are checked against what the providers publish: each with all fields, and with the fewest. */
export const inputs: Readonly<Record<string, readonly object[]>> = {
  "stripe.get_balance": [{}],
  "stripe.create_customer": [
    {},
    { email: "ada@example.com", name: "Ada", description: "first", metadata: { order: "7", with: "a b&c" } },
  ],
  "stripe.create_payment": [
    { amount: 500, currency: "eur" },
    {
      amount: 1,
      currency: "usd",
      customer: "cus_123",
      payment_method: "pm_card_visa",
      confirm: true,
      description: "a payment",
      metadata: { order: "7" },
    },
  ],
  "stripe.create_refund": [
    { payment_intent: "pi_123" },
    { payment_intent: "pi_123", amount: 5, reason: "duplicate" },
    { payment_intent: "pi_123", reason: "requested_by_customer" },
  ],
  "github.get_user": [{}],
  "github.create_issue": [
    { owner: "octocat", repo: "hello-world", title: "It does not work" },
    { owner: "octocat", repo: "r", title: "t", body: "b", labels: ["bug"], assignees: ["octocat"] },
  ],
  "github.create_comment": [{ owner: "octocat", repo: "hello-world", number: 7, body: "me too" }],
  "github.list_issues": [
    { owner: "octocat", repo: "hello-world" },
    { owner: "octocat", repo: "r", state: "all", since: "2026-01-01T00:00:00Z", sort: "updated" },
  ],
};
