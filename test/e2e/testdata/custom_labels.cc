// An add-on for Node.js that publishes custom labels as Polar Signals' package does (Custom Label ABI (v1), and
// js/addon.cpp of github.com/polarsignals/custom-labels): storeHash(storage) says which AsyncLocalStorage it is, whose
// store is a ClWrap, new ClWrap([key, value, …]).
#include <node.h>
#include <node_object_wrap.h>

#include <cstdint>
#include <string>
#include <vector>

using v8::Array;
using v8::Context;
using v8::FunctionCallbackInfo;
using v8::FunctionTemplate;
using v8::Global;
using v8::Isolate;
using v8::Local;
using v8::Object;
using v8::String;
using v8::Value;

struct Text {
  size_t length;
  const char *at;
};

struct LabelSet {
  Text *storage;
  size_t count, capacity;
};

extern "C" {
extern const uint32_t custom_labels_abi_version;
const uint32_t custom_labels_abi_version = 1;
thread_local LabelSet *custom_labels_current_set;
thread_local int custom_labels_als_identity_hash;
thread_local void *custom_labels_als_handle;  // the one word of a Global<Object>
}

class ClWrap : public node::ObjectWrap {
 public:
  ClWrap(Isolate *isolate, Local<Array> list) {
    Local<Context> context = isolate->GetCurrentContext();
    for (uint32_t i = 0; i < list->Length(); i++) {
      String::Utf8Value text(isolate, list->Get(context, i).ToLocalChecked());
      strings_.emplace_back(*text, text.length());
    }
    for (const std::string &s : strings_) texts_.push_back({s.size(), s.data()});
    set_ = {texts_.data(), texts_.size() / 2, texts_.size() / 2};
  }

  static void New(const FunctionCallbackInfo<Value> &args) {
    ClWrap *wrap = new ClWrap(args.GetIsolate(), args[0].As<Array>());
    wrap->Wrap(args.This());
    wrap->Ref();  // for good: in Node 24.21 a collection between callbacks may not destroy one
  }

 private:
  // What readers know of the class: the set, and the number that tells that it is one.
  LabelSet *underlying_ = &set_;
  uint64_t token_ __attribute__((unused)) = 0xEC9EB507FB5D7903;

  std::vector<std::string> strings_;
  std::vector<Text> texts_;
  LabelSet set_;
};

static void StoreHash(const FunctionCallbackInfo<Value> &args) {
  Local<Object> storage = args[0].As<Object>();
  custom_labels_als_identity_hash = storage->GetIdentityHash();
  static_assert(sizeof(Global<Object>) == sizeof(void *));
  custom_labels_als_handle = *reinterpret_cast<void **>(new Global<Object>(args.GetIsolate(), storage));
  custom_labels_current_set = nullptr;
}

NODE_MODULE_INIT(/* exports, module, context */) {
  Isolate *isolate = Isolate::GetCurrent();
  Local<FunctionTemplate> wrap = FunctionTemplate::New(isolate, ClWrap::New);
  wrap->InstanceTemplate()->SetInternalFieldCount(1);
  Local<String> name = String::NewFromUtf8Literal(isolate, "ClWrap");
  exports->Set(context, name, wrap->GetFunction(context).ToLocalChecked()).FromJust();
  NODE_SET_METHOD(exports, "storeHash", StoreHash);
}
