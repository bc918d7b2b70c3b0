// A worker over one stream in both directions (QueueService.Work): it gets items while it has credit, and settles them on the same stream.
package main

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"os"
	"strconv"
	"strings"

	"connectrpc.com/connect"
	"example.com/switchyard-worker/gen/service/api"
	"example.com/switchyard-worker/gen/service/api/apiconnect"
	"google.golang.org/protobuf/types/known/structpb"
)

const credit = 4

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: worker POOL COUNT")
	}
	count, err := strconv.Atoi(os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	if err := work(context.Background(), os.Args[1], count); err != nil {
		log.Fatal(err)
	}
}

// work handles `count` items of the pool of this name.
func work(ctx context.Context, name string, count int) error {
	url := os.Getenv("SWITCHYARD_GRPC_URL")
	if url == "" {
		url = "http://127.0.0.1:50052"
	}
	client := overHTTP2()
	pool, err := apiconnect.NewPoolServiceClient(client, url).CreatePool(ctx,
		connect.NewRequest(&api.CreatePoolRequest{Name: name, IfAbsent: true}))
	if err != nil {
		return err
	}
	recipient, err := apiconnect.NewRecipientServiceClient(client, url).CreateRecipient(ctx,
		connect.NewRequest(&api.CreateRecipientRequest{PoolId: pool.Msg.GetId(), Name: "go", IfAbsent: true}))
	if err != nil {
		return err
	}
	stream := apiconnect.NewQueueServiceClient(client, url).Work(ctx)
	hello := &api.WorkHello{PoolId: pool.Msg.GetId(), RecipientId: recipient.Msg.GetId(), Credit: credit}
	if err := stream.Send(&api.WorkRequest{Frame: &api.WorkRequest_Hello{Hello: hello}}); err != nil {
		return err
	}
	for settled := 0; settled < count; {
		answer, err := stream.Receive()
		if err != nil {
			return err
		}
		switch frame := answer.Frame.(type) {
		case *api.WorkResponse_Assigned:
			err = settle(stream, frame.Assigned.Items)
		case *api.WorkResponse_Settled:
			settled += len(frame.Settled.Results)
		case *api.WorkResponse_LeaseLost:
			log.Printf("%s: lease lost: %s", frame.LeaseLost.QueueItemId, frame.LeaseLost.Reason)
		case *api.WorkResponse_GoAway:
			return fmt.Errorf("the service goes away: %s", frame.GoAway.Reason)
		case *api.WorkResponse_Refused:
			return fmt.Errorf("refused: %v", frame.Refused.Error)
		}
		if err != nil {
			return err
		}
	}
	if err := stream.CloseRequest(); err != nil {
		return err
	}
	return stream.CloseResponse()
}

// settle completes items, each with its payload in capitals, and asks for as many more.
func settle(stream *connect.BidiStreamForClient[api.WorkRequest, api.WorkResponse], items []*api.LeasedItem) error {
	entries := make([]*api.SettleEntry, len(items))
	for index, leased := range items {
		text := strings.ToUpper(leased.Item.Payload.GetStringValue())
		fmt.Println(text)
		entries[index] = &api.SettleEntry{
			QueueItemId: leased.Item.Id, LeaseToken: leased.LeaseToken,
			Outcome: "complete", Result: structpb.NewStringValue(text),
		}
	}
	done := &api.WorkSettle{Settlements: entries}
	if err := stream.Send(&api.WorkRequest{Frame: &api.WorkRequest_Settle{Settle: done}}); err != nil {
		return err
	}
	more := &api.WorkCredit{Items: int32(len(items))}
	return stream.Send(&api.WorkRequest{Frame: &api.WorkRequest_Credit{Credit: more}})
}

// overHTTP2 speaks HTTP/2 without TLS, which streams in both directions need.
func overHTTP2() *http.Client {
	protocols := new(http.Protocols)
	protocols.SetUnencryptedHTTP2(true)
	return &http.Client{Transport: &http.Transport{Protocols: protocols}}
}
