// A suite as authors of controllers write it. It knows of no other server than the one that KUBEBUILDER_ASSETS names.
package envtest

import (
	"context"
	"os"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

func start(t *testing.T) (client.Client, *envtest.Environment) {
	environment := &envtest.Environment{}
	config, err := environment.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := environment.Stop(); err != nil {
			t.Error(err)
		}
	})
	c, err := client.New(config, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return c, environment
}

func gone(t *testing.T, c client.Client, object client.Object) bool {
	key := types.NamespacedName{Namespace: object.GetNamespace(), Name: object.GetName()}
	for i := 0; i < 400; i++ {
		if err := c.Get(context.Background(), key, object); apierrors.IsNotFound(err) {
			return true
		} else if err != nil {
			t.Fatal(err)
		}
		time.Sleep(25 * time.Millisecond)
	}
	return false
}

func TestObjects(t *testing.T) {
	c, environment := start(t)
	ctx := context.Background()
	made := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "a"}, Data: map[string]string{"a": "b"}}
	if err := c.Create(ctx, made); err != nil {
		t.Fatal(err)
	}
	user, err := environment.AddUser(envtest.User{Name: "ann"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	ann, err := client.New(user.Config(), client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := ann.Get(ctx, client.ObjectKeyFromObject(made), &corev1.ConfigMap{}); !apierrors.IsForbidden(err) {
		t.Fatalf("a user without rights gets %v", err)
	}
	kubectl, err := user.Kubectl()
	if err != nil {
		t.Fatal(err)
	}
	// the user may not read it, and the command line says so
	if _, _, err := kubectl.Run("get", "configmap", "a"); err == nil {
		t.Fatal("the command line shows a user what it may not read")
	}
}

// With controllers namespaces really go away, and so does what belongs to others.
func TestControllers(t *testing.T) {
	if os.Getenv("ORCH_DEV_CONTROLLERS") != "1" {
		t.Skip("no controllers run")
	}
	c, _ := start(t)
	ctx := context.Background()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "shop"}}
	if err := c.Create(ctx, namespace); err != nil {
		t.Fatal(err)
	}
	owner := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "owner"}}
	if err := c.Create(ctx, owner); err != nil {
		t.Fatal(err)
	}
	dependent := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{
		Namespace:       "shop",
		Name:            "dependent",
		OwnerReferences: []metav1.OwnerReference{{APIVersion: "v1", Kind: "ConfigMap", Name: "owner", UID: owner.UID}},
	}}
	if err := c.Create(ctx, dependent); err != nil {
		t.Fatal(err)
	}
	if err := c.Delete(ctx, owner); err != nil {
		t.Fatal(err)
	}
	if !gone(t, c, dependent) {
		t.Fatal("what belonged to the deleted object stays")
	}
	if err := c.Delete(ctx, namespace); err != nil {
		t.Fatal(err)
	}
	if !gone(t, c, namespace) {
		t.Fatal("the namespace stays")
	}
}
