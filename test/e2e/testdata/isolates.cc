// An add-on for Node.js that runs texts in isolates of their own, one after the other on one thread, as those do that
// keep code of strangers apart. Each isolate is disposed before the next is made, and often comes to the same address.
#include <node.h>
#include <uv.h>
#include <chrono>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

using namespace v8;

static std::mutex mutex;
static std::vector<double> noted; // beginnings and ends, nanoseconds of Unix time

static void note()
{
	std::lock_guard<std::mutex> held(mutex);
	noted.push_back(std::chrono::duration<double, std::nano>(std::chrono::system_clock::now().time_since_epoch()).count());
}

static void runOne(const std::string &text, node::MultiIsolatePlatform *platform)
{
	uv_loop_t loop;
	uv_loop_init(&loop);
	std::shared_ptr<node::ArrayBufferAllocator> allocator = node::ArrayBufferAllocator::Create();
	Isolate *isolate = node::NewIsolate(allocator, &loop, platform);
	{
		Locker locker(isolate);
		Isolate::Scope isolate_scope(isolate);
		HandleScope handle_scope(isolate);
		Local<Context> context = Context::New(isolate);
		Context::Scope context_scope(context);
		Local<String> source = String::NewFromUtf8(isolate, text.c_str()).ToLocalChecked();
		Script::Compile(context, source).ToLocalChecked()->Run(context).ToLocalChecked();
	}
	isolate->Dispose();
	platform->UnregisterIsolate(isolate);
	uv_run(&loop, UV_RUN_DEFAULT);
	uv_loop_close(&loop);
}

// run(text, …) runs the texts on a thread of its own, and returns at once.
static void run(const FunctionCallbackInfo<Value> &args)
{
	std::vector<std::string> texts;
	for (int i = 0; i < args.Length(); i++)
		texts.push_back(*String::Utf8Value(args.GetIsolate(), args[i]));
	Local<Context> context = args.GetIsolate()->GetCurrentContext();
	node::MultiIsolatePlatform *platform = node::GetMultiIsolatePlatform(node::GetCurrentEnvironment(context));
	std::thread([texts, platform] {
		for (const std::string &text : texts) {
			note();
			runOne(text, platform);
			note();
		}
	}).detach();
}

// times() returns when each text began and ended.
static void times(const FunctionCallbackInfo<Value> &args)
{
	std::lock_guard<std::mutex> held(mutex);
	std::vector<Local<Value>> all;
	for (double t : noted)
		all.push_back(Number::New(args.GetIsolate(), t));
	args.GetReturnValue().Set(Array::New(args.GetIsolate(), all.data(), all.size()));
}

NODE_MODULE_INIT()
{
	NODE_SET_METHOD(exports, "run", run);
	NODE_SET_METHOD(exports, "times", times);
}
