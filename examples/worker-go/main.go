// A worker over one stream in both directions (QueueService.Work): it gets an item while it has credit, and settles it on the same stream.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"connectrpc.com/connect"
	"example.com/switchyard-worker/gen/service/api"
	"example.com/switchyard-worker/gen/service/api/apiconnect"
	"google.golang.org/protobuf/types/known/structpb"
)

// handle completes an item with its payload in capitals; one whose payload is no text fails.
func handle(leased *api.LeasedItem) *api.WorkSettle {
	entry := &api.SettleEntry{QueueItemId: leased.Item.Id, LeaseToken: leased.LeaseToken, Outcome: "fail", Error: "it is no text"}
	if text := strings.ToUpper(leased.Item.Payload.GetStringValue()); text != "" {
		fmt.Println(text)
		entry.Outcome, entry.Error, entry.Result = "complete", "", structpb.NewStringValue(text)
	}
	return &api.WorkSettle{Settlements: []*api.SettleEntry{entry}}
}

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: worker POOL COUNT")
	}
	count := must(strconv.Atoi(os.Args[2]))
	running, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	protocols := new(http.Protocols)
	protocols.SetUnencryptedHTTP2(true) // Streams in both directions need HTTP/2.
	client := &http.Client{Transport: &http.Transport{Protocols: protocols}}
	url := cmp.Or(os.Getenv("SWITCHYARD_GRPC_URL"), "http://127.0.0.1:50052")
	pool := must(apiconnect.NewPoolServiceClient(client, url).CreatePool(running,
		connect.NewRequest(&api.CreatePoolRequest{Name: os.Args[1], IfAbsent: true}))).Msg.GetId()
	recipient := must(apiconnect.NewRecipientServiceClient(client, url).CreateRecipient(running,
		connect.NewRequest(&api.CreateRecipientRequest{PoolId: pool, Name: "go", IfAbsent: true}))).Msg.GetId()
	stream := apiconnect.NewQueueServiceClient(client, url).Work(context.Background())
	send := func(frame *api.WorkRequest) { must(frame, stream.Send(frame)) }
	send(&api.WorkRequest{Frame: &api.WorkRequest_Hello{Hello: &api.WorkHello{PoolId: pool, RecipientId: recipient, Credit: 1}}})
	var sending sync.Mutex
	context.AfterFunc(running, func() {
		sending.Lock() // The item at hand is settled first; the service answers that, and ends the stream.
		defer sending.Unlock()
		must(0, stream.CloseRequest())
	})
	for answer, err := stream.Receive(); !errors.Is(err, io.EOF); answer, err = stream.Receive() {
		switch frame := must(answer, err).Frame.(type) {
		case *api.WorkResponse_Assigned:
			sending.Lock()
			send(&api.WorkRequest{Frame: &api.WorkRequest_Settle{Settle: handle(frame.Assigned.Items[0])}})
			if count--; count == 0 {
				stop()
			} else if running.Err() == nil {
				send(&api.WorkRequest{Frame: &api.WorkRequest_Credit{Credit: &api.WorkCredit{Items: 1}}})
			}
			sending.Unlock()
		case *api.WorkResponse_LeaseLost: // What was done does not count; another worker gets the item.
			log.Printf("%s: lease lost: %s", frame.LeaseLost.QueueItemId, frame.LeaseLost.Reason)
		}
	}
}

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}
